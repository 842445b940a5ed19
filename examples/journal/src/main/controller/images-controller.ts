/** Serves the pictures of articles. The path contains the digest of the bytes, so browsers may cache a picture for ever. */
import { Ok, routes } from 'fwjs'
import { Image } from '#model/image'
import { ApplicationController } from './application-controller.ts'

export class ImagesController extends ApplicationController {
  async show() {
    const digest = this.params.get('digest') ?? ''
    const image = (await Image.findBy({ id: this.idOf('id'), digest })) ?? this.haltWithBody(404)
    this.response.freshWhen({ etag: image.digest })
    return Ok(image.bytes, {
      'Content-Type': image.contentType,
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  }
}

export const images = routes(ImagesController, (r) => ({
  showUrl: r.get('/images/:id/:digest', 'show'),
}))
