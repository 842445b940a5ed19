{{values}}
{{title}}

{{lines}}
