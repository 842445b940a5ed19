// Libraries that insert one page into another run the script again; the global variable prevents a second listener.
if (window.hasAttachmentListeners !== true) {
  window.hasAttachmentListeners = true
  document.addEventListener('change', showImage)
  // Listens in the capture phase, before libraries that send forms themselves.
  document.addEventListener('submit', refuseLargeFiles, true)
}

// Shows a chosen image before it is uploaded. A canvas needs no `blob:` in the Content-Security-Policy.
async function showImage({ target }) {
  const place = target.type === 'file' && target.closest('.attachment')
  if (!place) return
  checkFiles(target.form, target)
  const canvas = place.querySelector('canvas')
  const image = target.files[0] && (await createImageBitmap(target.files[0]).catch(() => undefined))
  canvas.hidden = image === undefined
  place.querySelector('img')?.toggleAttribute('hidden', target.files.length > 0)
  if (image === undefined) return
  const scale = Math.min(1, 320 / Math.max(image.width, image.height))
  canvas.width = Math.max(1, image.width * scale)
  canvas.height = Math.max(1, image.height * scale)
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height)
}

// Does not send a form whose files the server would refuse.
function refuseLargeFiles(event) {
  const refused = checkFiles(event.target)
  if (refused === undefined) return
  event.preventDefault()
  event.stopImmediatePropagation()
  refused.focus()
}

// Shows a message at each file that is too large, and returns the first input with one. A message of the server stays at an
// empty input until that input changes.
function checkFiles(form, changed) {
  let total = 0
  let refused
  for (const input of form.querySelectorAll('.attachment input[type=file]')) {
    const { maxFile, maxForm, tooLarge, tooMuch } = input.dataset
    const sizes = [...input.files].map(({ size }) => size)
    for (const size of sizes) total += size
    const message = sizes.some((size) => size > maxFile) ? tooLarge : total > maxForm ? tooMuch : ''
    if (message !== '') refused ??= input
    if (message !== '' || sizes.length > 0 || input === changed) showError(input, message)
  }
  return refused
}

function showError(input, message) {
  const id = `${input.id}-error`
  let place = document.getElementById(id)
  if (message === '') place?.remove()
  else if (place === null) {
    place = Object.assign(document.createElement('small'), { id, role: 'alert' })
    input.closest('.attachment').after(place)
  }
  if (message !== '') place.textContent = message
  input.setAttribute('aria-invalid', String(message !== ''))
  input.setAttribute('aria-describedby', message === '' ? '' : id)
}
