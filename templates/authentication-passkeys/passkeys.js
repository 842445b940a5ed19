// Creates passkeys and logs in by them. The forms stay hidden in browsers without passkeys; the server checks what they send.

let waiting = new AbortController()

for (const form of document.querySelectorAll('form[data-passkey]'))
  if (window.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined) void start(form)

async function start(form) {
  form.parentElement.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
  // Offers passkeys in the list that the browser shows for the input of the address.
  const isLogin = form.dataset.passkey === 'log-in'
  if (isLogin && (await PublicKeyCredential.isConditionalMediationAvailable?.()))
    void send(form, 'conditional')
}

async function send(form, mediation = 'optional') {
  waiting.abort()
  waiting = new AbortController()
  try {
    const credential = await askBrowser(form, mediation, waiting.signal)
    form.elements.credential.value = JSON.stringify(credential)
    form.submit()
  } catch (error) {
    // The visitor has cancelled, another request of this page has begun, or the page is left.
    const isExpected = error.name === 'NotAllowedError' || error.name === 'AbortError'
    if (!isExpected && mediation !== 'conditional') throw error
  }
}

async function askBrowser(form, mediation, signal) {
  const body = new URLSearchParams(new FormData(form))
  const response = await fetch(form.dataset.options, { method: 'POST', body, signal })
  const options = await response.json()
  if (form.dataset.passkey === 'create') {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    return navigator.credentials.create({ publicKey, signal })
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return navigator.credentials.get({ publicKey, mediation, signal })
}
