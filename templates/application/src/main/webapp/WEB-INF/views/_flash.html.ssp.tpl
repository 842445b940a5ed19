#if (s.flash.get('notice') !== undefined)
<p role="status">${s.flash.get('notice')}</p>
#end
#if (s.flash.get('alert') !== undefined)
<p role="alert">${s.flash.get('alert')}</p>
#end
