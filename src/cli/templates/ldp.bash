_ldp() {
    local word=${COMP_WORDS[COMP_CWORD]} words=
    if [ "$COMP_CWORD" -eq 1 ] || [ "${COMP_WORDS[1]}" = help ]; then
        words="{{names}}"
    elif [[ $word == -* ]]; then
        case ${COMP_WORDS[1]} in
{{#commands}}
            {{name}}) words="--help{{#options}} --{{name}}{{/options}}" ;;
{{/commands}}
        esac
    else
        compopt -o default 2>/dev/null
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _ldp ldp
