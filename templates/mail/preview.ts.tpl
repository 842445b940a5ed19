/** The preview of the mail "{{title}}", which `fw run` shows at /_fw/mail. */
{{imports}}

export const previews = {
{{call}}
}
