/** Sends attachments. Their keys are random: whoever has the address of one may read it. */
import { attachment, Ok, ParamType, routes } from 'fwjs'
import { AttachmentFile, isImage } from '#model/attachment'
import { ApplicationController } from './application-controller.ts'

export class AttachmentsController extends ApplicationController {
  /** An image opens in the browser; any other file is saved. */
  async show() {
    const file = await this.find()
    return Ok(file.bytes, {
      'Content-Type': file.contentType,
      'Cache-Control': 'private, max-age=31536000, immutable',
      ...(isImage(file) ? {} : { 'Content-Disposition': attachment(file.name) }),
    })
  }

  /** The image itself, or an icon for any other file. */
  async preview() {
    const file = await this.find()
    return isImage(file) ? this.show() : this.redirect('/assets/file.svg')
  }

  private async find() {
    const id = this.params.getAs('id', ParamType.Uuid)
    const file = id === undefined ? undefined : await AttachmentFile.findById(id)
    return file ?? this.haltWithBody(404)
  }
}

export const attachments = routes(AttachmentsController, (r) => ({
  showUrl: r.get('/attachments/:id', 'show'),
  previewUrl: r.get('/attachments/:id/preview', 'preview'),
}))
