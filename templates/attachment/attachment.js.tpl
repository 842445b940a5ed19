// Shows a chosen image before it is uploaded. A canvas needs no `blob:` in the Content-Security-Policy.
document.addEventListener('change', async ({ target }) => {
  const place = target.type === 'file' && target.closest('.attachment')
  if (!place) return
  const canvas = place.querySelector('canvas')
  const image = target.files[0] && (await createImageBitmap(target.files[0]).catch(() => undefined))
  canvas.hidden = image === undefined
  place.querySelector('img')?.toggleAttribute('hidden', target.files.length > 0)
  if (image === undefined) return
  const scale = Math.min(1, 320 / Math.max(image.width, image.height))
  canvas.width = Math.max(1, image.width * scale)
  canvas.height = Math.max(1, image.height * scale)
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height)
})
