/** The mail "{{title}}". */
{{imports}}

/** `await {{Mailer}}.send({ … })` sends the mail after the commit. */
{{definition}}
