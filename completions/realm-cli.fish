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
            __realm-cli_parse_subcommand -r 1 'key-file=' 'key-command=' 'previous' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'history' 'version' 'h/help'
        case 'schema'
            __realm-cli_parse_subcommand 0 'version' 'h/help'
            switch $unparsed_tokens[1]
            case 'show'
                __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'o/output=' 'force' 'previous' 'json' 'q/quiet' 'v/verbose' 'color=' 'format=' 'version' 'h/help'
            end
        case 'export'
            __realm-cli_parse_subcommand 1 'key-file=' 'key-command=' 'o/output=' 'force' 'previous' 'jobs=' 'json' 'q/quiet' 'v/verbose' 'color=' 'format=' 'class=+' 'version' 'h/help'
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
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'info' -d 'Tell what a realm file is and what is in it.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'schema' -d 'Show the classes and properties of a realm.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'export' -d 'Write all objects of a realm as text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" key-command' -l 'key-command' -d 'Shell command that prints the key; it finds the realm\'s path in REALM_CLI_PATH.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" jobs' -l 'jobs' -d 'Threads to use (default: one a processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" q quiet' -l 'quiet' -s 'q' -d 'Print results, warnings and errors only.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" v verbose' -l 'verbose' -s 'v' -d 'Print more about what is done.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" history' -l 'history' -d 'Tell the history in detail.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli info" -ge 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli info" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli schema" -eq 1' -fa 'show' -d 'Show the classes of a realm and their properties.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" key-command' -l 'key-command' -d 'Shell command that prints the key; it finds the realm\'s path in REALM_CLI_PATH.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" o output' -s 'o' -l 'output' -d 'Where the result goes; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" force' -l 'force' -d 'Replace the output if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" q quiet' -l 'quiet' -s 'q' -d 'Print results, warnings and errors only.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" v verbose' -l 'verbose' -s 'v' -d 'Print more about what is done.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" format' -l 'format' -d 'What to write: text, json, core-json.' -rfka 'text json core-json'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli schema show" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli schema show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" key-file' -l 'key-file' -d 'File with the key: 64 raw bytes, 128 hexadecimal digits, or base64; - is standard input.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" key-command' -l 'key-command' -d 'Shell command that prints the key; it finds the realm\'s path in REALM_CLI_PATH.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" o output' -s 'o' -l 'output' -d 'Where the result goes; - is standard output.' -rF
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" force' -l 'force' -d 'Replace the output if it exists.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" previous' -l 'previous' -d 'Read the commit before the newest one, if it is intact.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" jobs' -l 'jobs' -d 'Threads to use (default: one a processor).' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" json' -l 'json' -d 'Print one JSON object instead of text.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" q quiet' -l 'quiet' -s 'q' -d 'Print results, warnings and errors only.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" v verbose' -l 'verbose' -s 'v' -d 'Print more about what is done.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" color' -l 'color' -d 'When to use colour; NO_COLOR in the environment turns it off for auto.' -rfka 'auto always never'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" format' -l 'format' -d 'What to write: json, ndjson, core-json, core-xjson, core-xjson-plus.' -rfka 'json ndjson core-json core-xjson core-xjson-plus'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export"' -l 'class' -d 'Write this class only; can be given several times.' -rfka ''
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_positional "realm-cli export" -eq 1' -fa '(for p in (string match -e -- \'*/\' (commandline -t);or printf \n)*.\'realm\';printf %s\n $p;end;__fish_complete_directories (commandline -t) \'\')'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" version' -l 'version' -d 'Show the version.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli export" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'realm-cli' -n '__realm-cli_should_offer_completions_for_flags_or_options "realm-cli help" version' -l 'version' -d 'Show the version.'
