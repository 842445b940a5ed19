<h1>${s.i18n.get('root.heading')}</h1>
<p>${s.i18n.get('root.next')}</p>
<pre tabindex="0"><code>./fw g scaffold members member name:String birthday:LocalDate</code></pre>
