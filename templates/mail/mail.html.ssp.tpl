{{values}}
<h1>{{title}}</h1>
{{lines}}
