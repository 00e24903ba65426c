#compdef ldp
_ldp() {
    local -a commands=(
{{#commands}}
        '{{name}}:{{purpose}}'
{{/commands}}
    )
    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
        _describe command commands
        return
    fi
    case $words[2] in
{{#commands}}
        {{name}}) _arguments '--help[describe the command]'{{#options}} \
            '--{{name}}[{{description}}]{{#takes}}:value:_files{{/takes}}'{{/options}} '*:file:_files' ;;
{{/commands}}
    esac
}
# Loaded as a file of fpath, this is the function's first call.
if [[ $funcstack[1] == _ldp ]]; then _ldp; else compdef _ldp ldp; fi
