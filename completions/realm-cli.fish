function __realm-cli_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __realm-cli_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __realm-cli_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __realm-cli_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __realm-cli_parse_tokens -S
    set -l unparsed_tokens (__realm-cli_tokens -pc)
    switch $unparsed_tokens[1]
    case 'realm-cli'
        __realm-cli_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'info'
            __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'skip-done=' 'key-file=' 'key-command=' 'previous' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'history' 'version' 'h/help'
        case 'stats'
            __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'skip-done=' 'key-file=' 'key-command=' 'previous' 'jobs=' 'memory=' 'o/output=' 'force' 'json' 'q/quiet' 'v/verbose' 'color=' 'format=' 'class=+' 'by=' 'top=' 'version' 'h/help'
        case 'schema'
            __realm-cli_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'show'
                __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'o/output=' 'force' 'previous' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'dates=' 'ids=' 'for=' 'format=' 'version' 'h/help'
            case 'diff'
                __realm-cli_parse_subcommand 2 'key-file=' 'key-command=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'plan' 'version' 'h/help'
            end
        case 'export'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'o/output=' 'force' 'previous' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'dates=' 'ids=' 'for=' 'format=' 'class=+' 'where=' 'schema-name=' 'allow-data-loss' 'unsynced' 'version' 'h/help'
        case 'import'
            __realm-cli_parse_subcommand 1 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'format=' 'schema=' 'class=' 'infer-only' 'infer-strings' 'primary-key=+' 'index=+' 'o/output=' 'into=' 'mode=' 'backup' 'upgrade' 'file-format=' 'force' 'new-key-file=' 'key-file=' 'key-command=' 'ignore-unknown' 'null-missing-links' 'max-errors=' 'memory=' 'dry-run' 'version' 'h/help'
        case 'query'
            __realm-cli_parse_subcommand 3 'key-file=' 'key-command=' 'arg=+' 'c/columns=+' 'sort=+' 'distinct=+' 'limit=' 'offset=' 'count' 'exists' 'sum=+' 'avg=+' 'min=+' 'max=+' 'group-by=' 'explain' 'o/output=' 'force' 'previous' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'format=' 'version' 'h/help'
        case 'browse'
            __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'key-file=' 'key-command=' 'previous' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'port=' 'no-open' 'version' 'h/help'
        case 'shell'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'previous' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'mode=' 'keep-going' 'history' 'no-history' 'version' 'h/help'
        case 'hash'
            __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'skip-done=' 'key-file=' 'key-command=' 'previous' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'class=+' 'version' 'h/help'
        case 'diff'
            __realm-cli_parse_subcommand 2 'key-file=' 'key-command=' 'o/output=' 'force' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'key-file-b=' 'previous' 'class=+' 'ignore=+' 'match=' 'format=' 'summary' 'max=' 'version' 'h/help'
        case 'apply'
            __realm-cli_parse_subcommand 2 'key-file=' 'key-command=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'jobs=' 'memory=' 'upgrade' 'json' 'q/quiet' 'v/verbose' 'color=' 'on-conflict=' 'version' 'h/help'
        case 'verify'
            __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'skip-done=' 'key-file=' 'key-command=' 'previous' 'jobs=' 'memory=' 'json' 'q/quiet' 'v/verbose' 'color=' 'quick' 'strict' 'max-findings=' 'class=+' 'version' 'h/help'
        case 'salvage'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'jobs=' 'memory=' 'file-format=' 'json' 'q/quiet' 'v/verbose' 'color=' 'o/output=' 'force' 'format=' 'report=' 'list-roots' 'root=' 'fill-from-previous' 'drop-doubtful' 'include-freed' 'version' 'h/help'
        case 'compact'
            __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'skip-done=' 'key-file=' 'key-command=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'if-size-over=' 'if-used-below=' 'version' 'h/help'
        case 'upgrade'
            __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'skip-done=' 'key-file=' 'key-command=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'jobs=' 'file-format=' 'json' 'q/quiet' 'v/verbose' 'color=' 'version' 'h/help'
        case 'migrate'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'upgrade' 'file-format=' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'plan=' 'schema=' 'to=' 'allow-data-loss' 'show=' 'version' 'h/help'
        case 'update'
            __realm-cli_parse_subcommand 3 'key-file=' 'key-command=' 'arg=+' 'expect=' 'max=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'upgrade' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'set=+' 'version' 'h/help'
        case 'delete'
            __realm-cli_parse_subcommand 3 'key-file=' 'key-command=' 'arg=+' 'expect=' 'max=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'upgrade' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'all' 'version' 'h/help'
        case 'redact'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'o/output=' 'force' 'dry-run' 'previous' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'keep=+' 'keep-class=+' 'seed=' 'version' 'h/help'
        case 'convert'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'json' 'q/quiet' 'v/verbose' 'color=' 'to=' 'file-format=' 'schema-version=' 'drop-property=+' 'discard-unsynced' 'add-primary-keys' 'flexible' 'version' 'h/help'
        case 'copy'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'o/output=' 'force' 'dry-run' 'previous' 'json' 'q/quiet' 'v/verbose' 'color=' 'discard-unsynced' 'app-dir=' 'from-user=' 'to-user=' 'realm=' 'version' 'h/help'
        case 'users'
            __realm-cli_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'list'
                __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'json' 'q/quiet' 'v/verbose' 'color=' 'version' 'h/help'
            case 'path'
                __realm-cli_parse_subcommand 2 'key-file=' 'key-command=' 'json' 'q/quiet' 'v/verbose' 'color=' 'user=' 'partition=' 'flexible' 'url=' 'version' 'h/help'
            end
        case 'encrypt'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'new-key-file=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'json' 'q/quiet' 'v/verbose' 'color=' 'version' 'h/help'
        case 'decrypt'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'json' 'q/quiet' 'v/verbose' 'color=' 'version' 'h/help'
        case 'rekey'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'new-key-file=' 'in-place' 'backup' 'o/output=' 'force' 'dry-run' 'previous' 'json' 'q/quiet' 'v/verbose' 'color=' 'version' 'h/help'
        case 'keygen'
            __realm-cli_parse_subcommand 0 'o/output=' 'force' 'json' 'q/quiet' 'v/verbose' 'color=' 'version' 'h/help'
        case 'delete-files'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'json' 'q/quiet' 'v/verbose' 'color=' 'lock' 'backups' 'all' 'discard-unsynced' 'if-exists' 'dry-run' 'version' 'h/help'
        case 'backup'
            __realm-cli_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'create'
                __realm-cli_parse_subcommand -r 1 'files-from=' 'shard=' 'key-file=' 'key-command=' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'o/output=' 'format=' 'level=' 'name=' 'raw' 'no-verify' 'exclude=+' 'app-dir=+' 'force' 'dry-run' 'version' 'h/help'
            case 'list'
                __realm-cli_parse_subcommand 1 'json' 'q/quiet' 'v/verbose' 'color=' 'version' 'h/help'
            case 'verify'
                __realm-cli_parse_subcommand -r 1 'key-file=' 'key-command=' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'against=' 'version' 'h/help'
            case 'restore'
                __realm-cli_parse_subcommand -r 2 'json' 'q/quiet' 'v/verbose' 'color=' 'C/directory=' 'to=' 'force' 'partial' 'dry-run' 'version' 'h/help'
            case 'prune'
                __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'keep-last=' 'keep-hourly=' 'keep-daily=' 'keep-weekly=' 'keep-monthly=' 'keep-yearly=' 'verify' 'dry-run' 'version' 'h/help'
            end
        case 'help'
            __realm-cli_parse_subcommand -r 1 'version'
        end
    end
end

function __realm-cli_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __realm-cli_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __realm-cli_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __realm-cli_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__realm-cli_tokens -p)
    if test -z "$(__realm-cli_tokens -t)"
        set -l index (count (__realm-cli_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'realm-cli' -f
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'info' -d 'Show the format, size, history and classes of a realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'stats' -d 'Show what takes up space in a realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'schema' -d 'Show and compare the classes and properties of realms.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'export' -d 'Export objects as JSON, CSV, a SQLite database or a script for PostgreSQL.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'import' -d 'Import JSON or CSV into a new or existing realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'query' -d 'Find the objects of a class with the Realm Query Language.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'browse' -d 'Look at realms in a web browser.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'shell' -d 'Query a realm at an interactive prompt.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'hash' -d 'Print SHA-256 digests of what realms contain.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'diff' -d 'Show what differs between two realms.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'apply' -d 'Apply the changes of a patch to a realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'verify' -d 'Check realms against every rule of the file format.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'salvage' -d 'Recover everything readable from a damaged realm into a new one.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'compact' -d 'Rewrite realms without their free space.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'upgrade' -d 'Upgrade realms to the current file format.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'migrate' -d 'Migrate a realm to a higher schema version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'update' -d 'Set properties of the objects that a query finds.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'delete' -d 'Delete the objects that a query finds.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'redact' -d 'Make a copy of a realm without its content, to send to somebody else.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'convert' -d 'Convert a realm to a local or a synced one, or to another file format.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'copy' -d 'Copy a realm at one consistent version; a synced one for another user.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'users' -d 'List the users of an app and their realms.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'encrypt' -d 'Encrypt a realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'decrypt' -d 'Decrypt a realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'rekey' -d 'Change the key of an encrypted realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'keygen' -d 'Make a key for an encrypted realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'delete-files' -d 'Delete the files that apps leave beside a realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'backup' -d 'Create, verify, restore and prune backups.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli info" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" skip-done' -l 'skip-done' -d 'Skip realms that succeeded in this --json report of an earlier run and have not changed since.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" history' -l 'history' -d 'Show the history and the state of sync in detail.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli stats" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" skip-done' -l 'skip-done' -d 'Skip realms that succeeded in this --json report of an earlier run and have not changed since.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" o output' -s 'o' -l 'output' -d 'The file for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" force' -l 'force' -d 'Replace the output if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" format' -l 'format' -d 'The format: text, or svg for a treemap of one realm.' -rfka 'text svg'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats"' -l 'class' -d 'List only this class; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" by' -l 'by' -d 'How to divide the space: class, property, or kind for the whole file only.' -rfka 'class property kind'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" top' -l 'top' -d 'How many of the largest objects, values and collections to list.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli stats" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli schema" -eq 1' -fa 'show' -d 'Show the classes of a realm and their properties.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli schema" -eq 1' -fa 'diff' -d 'Compare the schemas of two realms or schema files.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" o output' -s 'o' -l 'output' -d 'The file for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" force' -l 'force' -d 'Replace the output if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" dates' -l 'dates' -d 'How dates are stored: iso, unix-ms, unix.' -rfka 'iso unix-ms unix'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" ids' -l 'ids' -d 'How ObjectIds and UUIDs are stored: text, blob.' -rfka 'text blob'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" for' -l 'for' -d 'For whom the tables are: plain, room.' -rfka 'plain room'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" format' -l 'format' -d 'The format: text, json, swift, kotlin, javascript, typescript, csharp, dart, grdb, room, drift, sqlalchemy, sql, swiftdata, mermaid, svg, core-json.' -rfka 'text json swift kotlin javascript typescript csharp dart grdb room drift sqlalchemy sql swiftdata mermaid svg core-json'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli schema show" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" plan' -l 'plan' -d 'Print a migration plan instead of the differences.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli schema diff" -eq 1' -F
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli schema diff" -eq 2' -F
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema diff" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" o output' -s 'o' -l 'output' -d 'The file for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" force' -l 'force' -d 'Replace the output if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" dates' -l 'dates' -d 'How dates are stored: iso, unix-ms, unix.' -rfka 'iso unix-ms unix'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" ids' -l 'ids' -d 'How ObjectIds and UUIDs are stored: text, blob.' -rfka 'text blob'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" for' -l 'for' -d 'For whom the tables are: plain, room.' -rfka 'plain room'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" format' -l 'format' -d 'The format: json, ndjson, core-json, core-xjson, core-xjson-plus, ejson, plain, csv, sqlite, postgres.' -rfka 'json ndjson core-json core-xjson core-xjson-plus ejson plain csv sqlite postgres'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export"' -l 'class' -d 'Export only this class; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" where' -l 'where' -d 'Export only the objects of one --class that this query finds; see `realm-cli query --help`.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" schema-name' -l 'schema-name' -d 'Name of the schema for the tables in PostgreSQL (default: realm).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" allow-data-loss' -l 'allow-data-loss' -d 'Accept that a script for PostgreSQL cannot hold some values.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" unsynced' -l 'unsynced' -d 'Export the changes that are not uploaded, one per line, instead of the objects.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli export" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" format' -l 'format' -d 'The format of the input: json, ndjson, csv (default: by its extension and content).' -rfka 'json ndjson csv'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" schema' -l 'schema' -d 'File with the schema of an input without one, as written by `schema show --format json` (default: inferred from the objects).' -rfa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'json\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" class' -l 'class' -d 'The class of the objects if the input names none (default: the name of the file).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" infer-only' -l 'infer-only' -d 'Print the schema that the realm would get, and create no file.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" infer-strings' -l 'infer-strings' -d 'Infer dates, UUIDs and ObjectIds from strings that look like them.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import"' -l 'primary-key' -d 'Primary key of an inferred schema; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import"' -l 'index' -d 'Property with an index in an inferred schema; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" o output' -s 'o' -l 'output' -d 'The file for the new realm.' -rfa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" into' -l 'into' -d 'The existing realm to import into; no process may have it open.' -rfa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" mode' -l 'mode' -d 'With --into: what happens to an object that the realm already has. insert: an error; upsert: the imported properties are changed; replace: the whole object is replaced.' -rfka 'insert upsert replace'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" backup' -l 'backup' -d 'With --into: keep the original beside it as <name>.before-import.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" upgrade' -l 'upgrade' -d 'With --into: allow an upgrade of a realm of format 2 to 11 or 21 to format 24.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" file-format' -l 'file-format' -d 'The file format of the new realm: 20, 22, 23 or 24 (default).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" new-key-file' -l 'new-key-file' -d 'File with the key of the new realm, which is then encrypted; `realm-cli keygen` makes one.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" ignore-unknown' -l 'ignore-unknown' -d 'Ignore members of objects that the schema does not have.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" null-missing-links' -l 'null-missing-links' -d 'Set links to missing objects to null, and leave them out of lists and sets.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" max-errors' -l 'max-errors' -d 'Number of errors to report before the import ends.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" memory' -l 'memory' -d 'Megabytes of links and index entries to keep in memory (default: an eighth of the memory of the machine).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" dry-run' -l 'dry-run' -d 'Check everything and show what would be imported, and create no file.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli import" -eq 1' -F
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli import" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -l 'arg' -d 'The values of $0, $1, … in the query, in this order: values of Realm JSON, or bare words.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -s 'c' -l 'columns' -d 'Write the values of these paths instead of all properties, such as name,dog.name,dogs.@count.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -l 'sort' -d 'Sort by this path, ascending, or descending with :desc; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -l 'distinct' -d 'Keep only the first object for each value of this path; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" limit' -l 'limit' -d 'Maximum number of objects.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" offset' -l 'offset' -d 'Skip this many objects first.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" count' -l 'count' -d 'Write the number of objects.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" exists' -l 'exists' -d 'Write nothing; the exit code is 0 if an object is found, and 1 if none is.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -l 'sum' -d 'Write the sum of these values.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -l 'avg' -d 'Write the average of these values.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -l 'min' -d 'Write the smallest of these values.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query"' -l 'max' -d 'Write the largest of these values.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" group-by' -l 'group-by' -d 'Write one line for each value of this path, with --count, --sum and others.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" explain' -l 'explain' -d 'Show what the query did instead of what it found.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" o output' -s 'o' -l 'output' -d 'The file for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" force' -l 'force' -d 'Replace the output if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" format' -l 'format' -d 'The format: table, json, ndjson, csv, tsv or ids (default: table on a terminal, else ndjson).' -rfka 'table json ndjson csv tsv ids'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli query" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli query" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli browse" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" port' -l 'port' -d 'The port to listen at (default: any free one).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" no-open' -l 'no-open' -d 'Print the URL, and do not open a browser.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli browse" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" mode' -l 'mode' -d 'The format of results: table, json, ndjson, csv, tsv or ids (default: table on a terminal, else ndjson).' -rfka 'table json ndjson csv tsv ids'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" keep-going' -l 'keep-going' -d 'Go on after an error of a script; the exit code is the most serious one.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" history' -l 'history' -d 'Keep the lines for later shells (default: unless the realm is encrypted).'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" no-history' -l 'no-history' -d 'Keep the lines for later shells (default: unless the realm is encrypted).'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli shell" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli shell" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli hash" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" skip-done' -l 'skip-done' -d 'Skip realms that succeeded in this --json report of an earlier run and have not changed since.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash"' -l 'class' -d 'Read only this class; can be given several times. There is then no digest for all.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli hash" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" o output' -s 'o' -l 'output' -d 'The file for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" force' -l 'force' -d 'Replace the output if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" key-file-b' -l 'key-file-b' -d 'File with the key of the second realm, if it differs.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" previous' -l 'previous' -d 'Compare the last two commits of one realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff"' -l 'class' -d 'Compare only this class; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff"' -l 'ignore' -d 'Do not compare this property; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" match' -l 'match' -d 'How to match objects of classes without a primary key: key or content.' -rfka 'key content'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" format' -l 'format' -d 'The format: text, ndjson or patch.' -rfka 'text ndjson patch'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" summary' -l 'summary' -d 'Print only the numbers of each class.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" max' -l 'max' -d 'Maximum number of objects of a class to list in text; the others are counted.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli diff" -eq 1' -fa '(set -l exts \'realm\' \'json\' \'ndjson\';for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.{$exts};printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli diff" -eq 2' -fa '(set -l exts \'realm\' \'json\' \'ndjson\';for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.{$exts};printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli diff" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" upgrade' -l 'upgrade' -d 'Allow an upgrade: a realm of format 2 to 11 or 21 changes in place only to format 24.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" on-conflict' -l 'on-conflict' -d 'What to do about conflicts: fail writes nothing, patch takes the values of the patch, realm keeps those of the realm.' -rfka 'fail patch realm'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli apply" -eq 1' -F
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli apply" -eq 2' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli apply" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli verify" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" skip-done' -l 'skip-done' -d 'Skip realms that succeeded in this --json report of an earlier run and have not changed since.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" quick' -l 'quick' -d 'Check only that every node is reachable and complete, not what it contains.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" strict' -l 'strict' -d 'Count warnings as errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" max-findings' -l 'max-findings' -d 'Maximum number of findings of each severity to print; the others are counted.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify"' -l 'class' -d 'Check only the objects of this class; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli verify" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" memory' -l 'memory' -d 'Megabytes of decrypted pages of an encrypted realm to keep in memory.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" file-format' -l 'file-format' -d 'The file format of the result: 20, 22, 23 or 24. Without it, the format of the source.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" o output' -s 'o' -l 'output' -d 'The file for the result; - is standard output, for ndjson.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" format' -l 'format' -d 'The format: realm, or ndjson for Realm JSON with one object per line.' -rfka 'realm ndjson'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" report' -l 'report' -d 'Write all losses to this file, as JSON.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" list-roots' -l 'list-roots' -d 'List the versions whose roots can be found, and write nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" root' -l 'root' -d 'The version to read: newest, previous, or the offset of its root.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" fill-from-previous' -l 'fill-from-previous' -d 'Take lost values and objects from the newest older version that has them.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" drop-doubtful' -l 'drop-doubtful' -d 'Leave out values and objects that can be read although bytes near them are damaged. Without this option, the report lists them as doubtful.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" include-freed' -l 'include-freed' -d 'Include deleted objects of older versions, in classes LostAndFound_<class>.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli salvage" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli salvage" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli compact" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" skip-done' -l 'skip-done' -d 'Skip realms that succeeded in this --json report of an earlier run and have not changed since.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" if-size-over' -l 'if-size-over' -d 'Compact only files larger than this: 100MB, 64KiB, 4096.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" if-used-below' -l 'if-used-below' -d 'Compact only if less than this percentage of the file is used: 50%.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli compact" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli upgrade" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" skip-done' -l 'skip-done' -d 'Skip realms that succeeded in this --json report of an earlier run and have not changed since.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" file-format' -l 'file-format' -d 'The file format of the result: 20, 22, 23 or 24. Without it, the format of the source.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli upgrade" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" upgrade' -l 'upgrade' -d 'Allow an upgrade: a realm of format 2 to 11 or 21 changes in place only to format 24.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" file-format' -l 'file-format' -d 'The file format of the result: 20, 22, 23 or 24. Without it, the format of the source.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" plan' -l 'plan' -d 'The plan, in YAML or JSON.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" schema' -l 'schema' -d 'The new schema, as written by `schema show --format json`.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" to' -l 'to' -d 'The schema version of the result; by default the last one of the plan.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" allow-data-loss' -l 'allow-data-loss' -d 'With --schema: accept the loss of the values that an SDK would lose.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" show' -l 'show' -d 'Show this many objects before and after each step.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli migrate" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli migrate" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update"' -l 'arg' -d 'The values of $0, $1, … in the query, in this order: values of Realm JSON, or bare words.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" expect' -l 'expect' -d 'Change nothing, and exit with 1, if another number of objects would change.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" max' -l 'max' -d 'With --dry-run: maximum number of objects to show.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" upgrade' -l 'upgrade' -d 'Allow an upgrade: a realm of format 2 to 11 or 21 changes in place only to format 24.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update"' -l 'set' -d 'Set a property to the value of an expression; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli update" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli update" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete"' -l 'arg' -d 'The values of $0, $1, … in the query, in this order: values of Realm JSON, or bare words.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" expect' -l 'expect' -d 'Change nothing, and exit with 1, if another number of objects would change.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" max' -l 'max' -d 'With --dry-run: maximum number of objects to show.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" upgrade' -l 'upgrade' -d 'Allow an upgrade: a realm of format 2 to 11 or 21 changes in place only to format 24.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" all' -l 'all' -d 'Delete all objects of the class.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli delete" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact"' -l 'keep' -d 'Keep the values of this property; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact"' -l 'keep-class' -d 'Keep the values of all properties of this class; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" seed' -l 'seed' -d 'Make the same copy as another run with this number, instead of a random one.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli redact" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli redact" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" to' -l 'to' -d 'The kind of realm to convert to: local or synced.' -rfka 'local synced'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" file-format' -l 'file-format' -d 'The file format to convert to: 20, 22, 23 or 24.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" schema-version' -l 'schema-version' -d 'To local: schema version of the result.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert"' -l 'drop-property' -d 'To local: leave this property out of all classes; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" discard-unsynced' -l 'discard-unsynced' -d 'To local: give up objects of asymmetric classes that were not uploaded.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" add-primary-keys' -l 'add-primary-keys' -d 'To synced: give every class a primary key named _id.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" flexible' -l 'flexible' -d 'To synced: request flexible sync, which no realm can be converted to.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli convert" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli convert" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" discard-unsynced' -l 'discard-unsynced' -d 'Copy a synced realm even if it has changes that are not uploaded.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" app-dir' -l 'app-dir' -d 'An app\'s folder, as for `users list`.' -rfa '(__realm-cli_complete_directories)'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" from-user' -l 'from-user' -d 'With --app-dir: the user whose realm is copied.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" to-user' -l 'to-user' -d 'With --app-dir: the user who gets the copy.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" realm' -l 'realm' -d 'With --app-dir: the name of the realm, if the user has several.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli copy" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli copy" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli users" -eq 1' -fa 'list' -d 'List the users in an app\'s folder, and the realms of each.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli users" -eq 1' -fa 'path' -d 'Show where an SDK stores a user\'s realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli users list" -eq 1' -fa '(__realm-cli_complete_directories)'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" user' -l 'user' -d 'The identifier of the user.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" partition' -l 'partition' -d 'The value of the partition.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" flexible' -l 'flexible' -d 'The realm of flexible sync.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" url' -l 'url' -d 'The URL of a realm of an object server.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli users path" -eq 1' -fa '(__realm-cli_complete_directories)'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli users path" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" new-key-file' -l 'new-key-file' -d 'File with the key of the result; `realm-cli keygen` makes one.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli encrypt" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli encrypt" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli decrypt" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli decrypt" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" new-key-file' -l 'new-key-file' -d 'File with the key of the result; `realm-cli keygen` makes one.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" in-place' -l 'in-place' -d 'Replace the realm with the result; no process may have it open.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" backup' -l 'backup' -d 'With --in-place: keep the original beside it as <name>.before-<command>.realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" o output' -s 'o' -l 'output' -d 'The file or folder for the result; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" force' -l 'force' -d 'Replace the output if it exists and is not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli rekey" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli rekey" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" o output' -s 'o' -l 'output' -d 'The file for the key; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" force' -l 'force' -d 'Replace the output if it exists; a realm with the old key can then no longer be opened.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli keygen" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" lock' -l 'lock' -d 'Delete the lock file too.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" backups' -l 'backups' -d 'Delete the backups from upgrades of the file format too.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" all' -l 'all' -d 'Delete the realm too, with everything that belongs to it.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" discard-unsynced' -l 'discard-unsynced' -d 'With --all: give up changes that were not uploaded.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" if-exists' -l 'if-exists' -d 'If the realm does not exist, do nothing instead of failing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" dry-run' -l 'dry-run' -d 'Show what would be deleted, and delete nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli delete-files" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli delete-files" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup" -eq 1' -fa 'create' -d 'Back up consistent, verified copies of realms in an archive.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup" -eq 1' -fa 'list' -d 'List the realms in a backup.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup" -eq 1' -fa 'verify' -d 'Verify backups and the realms inside them.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup" -eq 1' -fa 'restore' -d 'Restore realms from a backup.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup" -eq 1' -fa 'prune' -d 'Delete old backups in a folder.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" files-from' -l 'files-from' -d 'File with more realms and folders, one path a line or separated by NUL; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" shard' -l 'shard' -d 'Take only share I of N of the realms, such as 3/8; a path is always in the same share.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup create" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" o output' -s 'o' -l 'output' -d 'The archive, named <name>-<UTC time>.<format> if this is a folder; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" format' -l 'format' -d 'One of tar.zst, tar.gz, tar.xz, tar, zip, 7z (default: by the name, else tar.zst).' -rfka 'tar.zst tar.gz tar.xz tar zip 7z'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" level' -l 'level' -d 'Compression level, from 1.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" name' -l 'name' -d 'Name that `prune` groups backups by (default: the name of the one realm or folder).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" raw' -l 'raw' -d 'Copy the files as they are, with their free space.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" no-verify' -l 'no-verify' -d 'Do not verify the copies.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create"' -l 'exclude' -d 'Leave out realms whose names match, such as \'cache*\'; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create"' -l 'app-dir' -d 'Folder of a synced app: backs up the realms of its users, and the one with the list of users.' -rfa '(__realm-cli_complete_directories)'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" force' -l 'force' -d 'Replace the archive if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" dry-run' -l 'dry-run' -d 'Show what would be done, and do nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup create" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup list" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup list" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup list" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup list" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup list" -eq 1' -F
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup list" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" against' -l 'against' -d 'Also compare the content of this realm with the realm of the same name in the backup, or with the only one.' -rfa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup verify" -ge 1' -F
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup verify" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" C directory' -s 'C' -l 'directory' -d 'The folder to restore to; it is created if it does not exist.' -rfa '(__realm-cli_complete_directories)'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" to' -l 'to' -d 'Restore one realm to this file.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" force' -l 'force' -d 'Replace realms that exist and are not in use.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" partial' -l 'partial' -d 'Restore the intact realms of a damaged archive.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" dry-run' -l 'dry-run' -d 'Read and check the archive, and show what would be restored.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup restore" -eq 1' -F
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup restore" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" key-command' -l 'key-command' -d 'Shell command that prints the key; REALM_CLI_PATH is the path of the realm.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" jobs' -l 'jobs' -d 'Number of threads (default: one per processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" q quiet' -l 'quiet' -s 'q' -d 'Print only results, warnings and errors.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" v verbose' -l 'verbose' -s 'v' -d 'Print more details.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" keep-last' -l 'keep-last' -d 'Keep the newest n.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" keep-hourly' -l 'keep-hourly' -d 'Keep the newest of each of the last n hours.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" keep-daily' -l 'keep-daily' -d 'Keep the newest of each of the last n days.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" keep-weekly' -l 'keep-weekly' -d 'Keep the newest of each of the last n weeks, from Monday.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" keep-monthly' -l 'keep-monthly' -d 'Keep the newest of each of the last n months.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" keep-yearly' -l 'keep-yearly' -d 'Keep the newest of each of the last n years.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" verify' -l 'verify' -d 'First verify the backups to keep, as by `backup verify`.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" dry-run' -l 'dry-run' -d 'Show what would be deleted, and delete nothing.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli backup prune" -eq 1' -fa '(__realm-cli_complete_directories)'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli backup prune" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli help" version' -l 'version' -d 'Show the version.'
