
__realm-cli_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__realm-cli_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__realm-cli_add_completions() {
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__realm-cli_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_realm-cli() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local -r prev="${3}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __realm-cli_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    info|stats|schema|export|import|query|browse|shell|hash|diff|apply|verify|salvage|compact|upgrade|migrate|update|delete|redact|convert|copy|users|encrypt|decrypt|rekey|keygen|delete-files|backup|help)
        # Offer subcommand argument completions
        "_realm-cli_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'info stats schema export import query browse shell hash diff apply verify salvage compact upgrade migrate update delete redact convert copy users encrypt decrypt rekey keygen delete-files backup help' -- "${cur}"))
        ;;
    esac
}

_realm-cli_info() {
    repeating_flags=()
    non_repeating_flags=(--previous --json --quiet -q --verbose -v --history --version -h --help)
    repeating_options=()
    non_repeating_options=(--files-from --shard --skip-done --key-file --key-command --jobs --memory --color)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--skip-done')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_stats() {
    repeating_flags=()
    non_repeating_flags=(--previous --force --json --quiet -q --verbose -v --version -h --help)
    repeating_options=(--class)
    non_repeating_options=(--files-from --shard --skip-done --key-file --key-command --jobs --memory -o --output --color --format --by --top)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--skip-done')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'text'$'\n''svg'
        return
        ;;
    '--class')
        return
        ;;
    '--by')
        __realm-cli_add_completions -W 'class'$'\n''property'$'\n''kind'
        return
        ;;
    '--top')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_schema() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __realm-cli_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    show|diff)
        # Offer subcommand argument completions
        "_realm-cli_schema_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'show diff' -- "${cur}"))
        ;;
    esac
}

_realm-cli_schema_show() {
    repeating_flags=()
    non_repeating_flags=(--force --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command -o --output --memory --color --dates --ids --for --format)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--dates')
        __realm-cli_add_completions -W 'iso'$'\n''unix-ms'$'\n''unix'
        return
        ;;
    '--ids')
        __realm-cli_add_completions -W 'text'$'\n''blob'
        return
        ;;
    '--for')
        __realm-cli_add_completions -W 'plain'$'\n''room'
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'text'$'\n''json'$'\n''swift'$'\n''kotlin'$'\n''javascript'$'\n''typescript'$'\n''csharp'$'\n''dart'$'\n''grdb'$'\n''room'$'\n''drift'$'\n''sqlalchemy'$'\n''sql'$'\n''swiftdata'$'\n''mermaid'$'\n''svg'$'\n''core-json'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_schema_diff() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --plan --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --memory --color)
    __realm-cli_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -f
        return
        ;;
    2)
        __realm-cli_add_completions -f
        return
        ;;
    esac
}

_realm-cli_export() {
    repeating_flags=()
    non_repeating_flags=(--force --previous --json --quiet -q --verbose -v --allow-data-loss --unsynced --version -h --help)
    repeating_options=(--class)
    non_repeating_options=(--key-file --key-command -o --output --jobs --memory --color --dates --ids --for --format --where --schema-name)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--dates')
        __realm-cli_add_completions -W 'iso'$'\n''unix-ms'$'\n''unix'
        return
        ;;
    '--ids')
        __realm-cli_add_completions -W 'text'$'\n''blob'
        return
        ;;
    '--for')
        __realm-cli_add_completions -W 'plain'$'\n''room'
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'json'$'\n''ndjson'$'\n''core-json'$'\n''core-xjson'$'\n''core-xjson-plus'$'\n''ejson'$'\n''plain'$'\n''csv'$'\n''sqlite'$'\n''postgres'
        return
        ;;
    '--class')
        return
        ;;
    '--where')
        return
        ;;
    '--schema-name')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_import() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --infer-only --infer-strings --backup --upgrade --force --ignore-unknown --null-missing-links --dry-run --version -h --help)
    repeating_options=(--primary-key --index)
    non_repeating_options=(--jobs --color --format --schema --class -o --output --into --mode --file-format --new-key-file --key-file --key-command --max-errors --memory)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'json'$'\n''ndjson'$'\n''csv'
        return
        ;;
    '--schema')
        __realm-cli_add_completions -o plusdirs -fX '!*.@(json)'
        return
        ;;
    '--class')
        return
        ;;
    '--primary-key')
        return
        ;;
    '--index')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    '--into')
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    '--mode')
        __realm-cli_add_completions -W 'insert'$'\n''upsert'$'\n''replace'
        return
        ;;
    '--file-format')
        return
        ;;
    '--new-key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--max-errors')
        return
        ;;
    '--memory')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -f
        return
        ;;
    esac
}

_realm-cli_query() {
    repeating_flags=()
    non_repeating_flags=(--count --exists --explain --force --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=(--arg -c --columns --sort --distinct --sum --avg --min --max)
    non_repeating_options=(--key-file --key-command --limit --offset --group-by -o --output --jobs --memory --color --format)
    __realm-cli_offer_flags_options 3

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--arg')
        return
        ;;
    '-c'|'--columns')
        return
        ;;
    '--sort')
        return
        ;;
    '--distinct')
        return
        ;;
    '--limit')
        return
        ;;
    '--offset')
        return
        ;;
    '--sum')
        return
        ;;
    '--avg')
        return
        ;;
    '--min')
        return
        ;;
    '--max')
        return
        ;;
    '--group-by')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'table'$'\n''json'$'\n''ndjson'$'\n''csv'$'\n''tsv'$'\n''ids'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_browse() {
    repeating_flags=()
    non_repeating_flags=(--previous --json --quiet -q --verbose -v --no-open --edit --no-backup --version -h --help)
    repeating_options=()
    non_repeating_options=(--files-from --shard --key-file --key-command --jobs --memory --color --port)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--port')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_shell() {
    repeating_flags=()
    non_repeating_flags=(--previous --json --quiet -q --verbose -v --edit --no-backup --keep-going --history --no-history --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --jobs --memory --color --mode)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--mode')
        __realm-cli_add_completions -W 'table'$'\n''json'$'\n''ndjson'$'\n''csv'$'\n''tsv'$'\n''ids'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_hash() {
    repeating_flags=()
    non_repeating_flags=(--previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=(--class)
    non_repeating_options=(--files-from --shard --skip-done --key-file --key-command --jobs --memory --color)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--skip-done')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--class')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_diff() {
    repeating_flags=()
    non_repeating_flags=(--force --json --quiet -q --verbose -v --previous --summary --version -h --help)
    repeating_options=(--class --ignore)
    non_repeating_options=(--key-file --key-command -o --output --jobs --memory --color --key-file-b --match --format --max)
    __realm-cli_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--key-file-b')
        __realm-cli_add_completions -f
        return
        ;;
    '--class')
        return
        ;;
    '--ignore')
        return
        ;;
    '--match')
        __realm-cli_add_completions -W 'key'$'\n''content'
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'text'$'\n''ndjson'$'\n''patch'
        return
        ;;
    '--max')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm|json|ndjson)'
        return
        ;;
    2)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm|json|ndjson)'
        return
        ;;
    esac
}

_realm-cli_apply() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --upgrade --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command -o --output --jobs --memory --color --on-conflict)
    __realm-cli_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--on-conflict')
        __realm-cli_add_completions -W 'fail'$'\n''patch'$'\n''realm'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -f
        return
        ;;
    2)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_verify() {
    repeating_flags=()
    non_repeating_flags=(--previous --json --quiet -q --verbose -v --quick --strict --version -h --help)
    repeating_options=(--class)
    non_repeating_options=(--files-from --shard --skip-done --key-file --key-command --jobs --memory --color --max-findings)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--skip-done')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--max-findings')
        return
        ;;
    '--class')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_salvage() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --force --list-roots --fill-from-previous --drop-doubtful --include-freed --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --jobs --memory --file-format --color -o --output --format --report --root)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--memory')
        return
        ;;
    '--file-format')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'realm'$'\n''ndjson'
        return
        ;;
    '--report')
        __realm-cli_add_completions -f
        return
        ;;
    '--root')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_compact() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--files-from --shard --skip-done --key-file --key-command -o --output --jobs --color --if-size-over --if-used-below)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--skip-done')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--if-size-over')
        return
        ;;
    '--if-used-below')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_upgrade() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--files-from --shard --skip-done --key-file --key-command -o --output --jobs --file-format --color)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--skip-done')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--file-format')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_migrate() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --upgrade --json --quiet -q --verbose -v --allow-data-loss --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command -o --output --file-format --jobs --color --plan --schema --to --show)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--file-format')
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--plan')
        __realm-cli_add_completions -f
        return
        ;;
    '--schema')
        __realm-cli_add_completions -f
        return
        ;;
    '--to')
        return
        ;;
    '--show')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_update() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --upgrade --json --quiet -q --verbose -v --version -h --help)
    repeating_options=(--arg --set)
    non_repeating_options=(--key-file --key-command --expect --max -o --output --jobs --color)
    __realm-cli_offer_flags_options 3

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--arg')
        return
        ;;
    '--expect')
        return
        ;;
    '--max')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--set')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_delete() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --upgrade --json --quiet -q --verbose -v --all --version -h --help)
    repeating_options=(--arg)
    non_repeating_options=(--key-file --key-command --expect --max -o --output --jobs --color)
    __realm-cli_offer_flags_options 3

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--arg')
        return
        ;;
    '--expect')
        return
        ;;
    '--max')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_redact() {
    repeating_flags=()
    non_repeating_flags=(--force --dry-run --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=(--keep --keep-class)
    non_repeating_options=(--key-file --key-command -o --output --jobs --color --seed)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--keep')
        return
        ;;
    '--keep-class')
        return
        ;;
    '--seed')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_convert() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --json --quiet -q --verbose -v --discard-unsynced --add-primary-keys --flexible --version -h --help)
    repeating_options=(--drop-property)
    non_repeating_options=(--key-file --key-command -o --output --color --to --file-format --schema-version)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--to')
        __realm-cli_add_completions -W 'local'$'\n''synced'
        return
        ;;
    '--file-format')
        return
        ;;
    '--schema-version')
        return
        ;;
    '--drop-property')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_copy() {
    repeating_flags=()
    non_repeating_flags=(--force --dry-run --previous --json --quiet -q --verbose -v --discard-unsynced --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command -o --output --color --app-dir --from-user --to-user --realm)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--app-dir')
        __realm-cli_add_completions -d
        return
        ;;
    '--from-user')
        return
        ;;
    '--to-user')
        return
        ;;
    '--realm')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_users() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __realm-cli_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    list|path)
        # Offer subcommand argument completions
        "_realm-cli_users_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'list path' -- "${cur}"))
        ;;
    esac
}

_realm-cli_users_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --color)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -d
        return
        ;;
    esac
}

_realm-cli_users_path() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --flexible --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --color --user --partition --url)
    __realm-cli_offer_flags_options 2

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--user')
        return
        ;;
    '--partition')
        return
        ;;
    '--url')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -d
        return
        ;;
    esac
}

_realm-cli_encrypt() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --new-key-file -o --output --color)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--new-key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_decrypt() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command -o --output --color)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_rekey() {
    repeating_flags=()
    non_repeating_flags=(--in-place --backup --force --dry-run --previous --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --new-key-file -o --output --color)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--new-key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_keygen() {
    repeating_flags=()
    non_repeating_flags=(--force --json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(-o --output --color)
    __realm-cli_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac
}

_realm-cli_delete-files() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --lock --backups --all --discard-unsynced --if-exists --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --color)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_backup() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __realm-cli_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    create|list|verify|restore|prune)
        # Offer subcommand argument completions
        "_realm-cli_backup_${subcommand}"
        ;;
    *)
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'create list verify restore prune' -- "${cur}"))
        ;;
    esac
}

_realm-cli_backup_create() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --raw --no-verify --force --dry-run --version -h --help)
    repeating_options=(--exclude --app-dir)
    non_repeating_options=(--files-from --shard --key-file --key-command --jobs --color -o --output --format --level --name)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--files-from')
        __realm-cli_add_completions -f
        return
        ;;
    '--shard')
        return
        ;;
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '-o'|'--output')
        __realm-cli_add_completions -f
        return
        ;;
    '--format')
        __realm-cli_add_completions -W 'tar.zst'$'\n''tar.gz'$'\n''tar.xz'$'\n''tar'$'\n''zip'$'\n''7z'
        return
        ;;
    '--level')
        return
        ;;
    '--name')
        return
        ;;
    '--exclude')
        return
        ;;
    '--app-dir')
        __realm-cli_add_completions -d
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac
}

_realm-cli_backup_list() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--color)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -f
        return
        ;;
    esac
}

_realm-cli_backup_verify() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --jobs --color --against)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--against')
        __realm-cli_add_completions -o plusdirs -fX '!*.@(realm)'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __realm-cli_add_completions -f
        return
        ;;
    esac
}

_realm-cli_backup_restore() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --force --partial --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--color -C --directory --to)
    __realm-cli_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '-C'|'--directory')
        __realm-cli_add_completions -d
        return
        ;;
    '--to')
        __realm-cli_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -f
        return
        ;;
    esac
}

_realm-cli_backup_prune() {
    repeating_flags=()
    non_repeating_flags=(--json --quiet -q --verbose -v --verify --dry-run --version -h --help)
    repeating_options=()
    non_repeating_options=(--key-file --key-command --jobs --color --keep-last --keep-hourly --keep-daily --keep-weekly --keep-monthly --keep-yearly)
    __realm-cli_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--key-file')
        __realm-cli_add_completions -f
        return
        ;;
    '--key-command')
        return
        ;;
    '--jobs')
        return
        ;;
    '--color')
        __realm-cli_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--keep-last')
        return
        ;;
    '--keep-hourly')
        return
        ;;
    '--keep-daily')
        return
        ;;
    '--keep-weekly')
        return
        ;;
    '--keep-monthly')
        return
        ;;
    '--keep-yearly')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __realm-cli_add_completions -d
        return
        ;;
    esac
}

_realm-cli_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __realm-cli_offer_flags_options -1
}

complete -o filenames -F _realm-cli realm-cli
