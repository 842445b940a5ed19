/** The desk: lists, shows, creates and changes the articles of an author. Editors may change all articles. */
import {
  FileUploadFeature,
  FwResource,
  FwResourceRoutes,
  maxLength,
  mix,
  param,
  paramKey,
  ParamType,
  permitValues,
  routes,
  rule,
  type Permitted,
} from 'fwjs'
import type { KeyPageRequest } from 'fwjs/model'
import { Article } from '#model/article'
import { Image, imageType, replaceImage } from '#model/image'
import { changeableBy, mayChange } from '#model/permissions'
import { teaser } from '#model/relations'
import { parseTags } from '#model/tag'
import {
  articleRules,
  changeArticle,
  createArticle,
  publishArticle,
  tagRules,
  withdrawArticle,
} from '#model/writing'
import { ApplicationController } from './application-controller.ts'
import { requireLogin } from './require-login.ts'

const fields = {
  ...Article.pick('title', 'summary', 'body'),
  tags: ParamType.optional(ParamType.String),
  alt: ParamType.optional(ParamType.String),
}
/** The fields of an update. They include the version of the form, so that a save cannot overwrite another user's changes. */
const changedFields = { ...fields, ...Article.pick('lockVersion') }

const image = rule(
  'image',
  (bytes: Uint8Array | undefined) => bytes === undefined || imageType(bytes) !== undefined,
)

export class DeskController extends FwResource(
  mix(ApplicationController, requireLogin, FileUploadFeature),
  {
    model: Article,
    resourcesName: 'articles',
    resourceName: 'article',
    resourcesBasePathPrefix: '/desk',
    createFormStrongParameters: fields,
    updateFormStrongParameters: changedFields,
    pageByKey: { sort: ['title', 'publishedAt'], filter: ['status'], search: ['title', 'summary'] },
    include: teaser,
  },
) {
  static {
    this.beforeAction({ only: ['create', 'update'] }, async function readUpload(controller) {
      controller.upload = await controller.fileParams.get('image')?.get()
    })
  }

  /** The bytes of an uploaded picture. */
  private upload: Uint8Array | undefined

  override createForm() {
    return this.validation(
      this.createParams(),
      ...articleRules,
      tagRules(parseTags(this.params.get('tags'))),
      param('image', this.upload).is(image),
      paramKey('alt').is(maxLength(200)),
    ).withPrefix(this.messageResourceName)
  }

  override findPageByKey(request: KeyPageRequest) {
    return Article.query()
      .apply(changeableBy(this.currentUser))
      .orderBy('id', 'desc')
      .paginate(request)
  }

  override async findResource(id: number) {
    const article = await Article.findById(id)
    if (article === undefined) return undefined
    return mayChange(this.currentUser, article) ? article : this.haltWithBody(403)
  }

  /** Fills the form of an article with its tags and the alternative text of its picture. */
  override async preparePage(view: string) {
    if (view !== 'edit' || this.params.has('tags')) return
    const article = await Article.where({ id: this.idOf('id') })
      .include(teaser)
      .findFirst()
    this.view.addParam('tags', article?.tags.map(({ name }) => name).join(', '))
    this.view.addParam('alt', article?.image?.alt)
  }

  override async doCreateAndReturnId({ tags, alt, ...texts }: Permitted<typeof fields>) {
    const { id } = await createArticle(this.currentUser, texts, parseTags(tags))
    await this.saveImage(id, alt)
    return id
  }

  override async doUpdate(id: number, { tags, alt, ...texts }: Permitted<typeof changedFields>) {
    await changeArticle(id, texts, parseTags(tags))
    await this.saveImage(id, alt)
  }

  async publish() {
    await publishArticle(await this.findArticle())
    return this.showAgain(this.i18n.get('article.flash.published'))
  }

  async withdraw() {
    await withdrawArticle(await this.findArticle())
    return this.showAgain(this.i18n.get('article.flash.withdrawn'))
  }

  private async findArticle(): Promise<Article> {
    return (await this.findResource(this.idOf('id'))) ?? this.haltWithBody(404)
  }

  private showAgain(notice: string) {
    this.flash.set('notice', notice)
    return this.redirect303(this.url(desk.showUrl, { id: this.idOf('id') }))
  }

  private async saveImage(articleId: number, alt = '') {
    if (this.upload !== undefined) await replaceImage(articleId, alt, this.upload)
    else await Image.where({ articleId }).updateAll(permitValues({ alt }, 'alt'))
  }
}

export const desk = routes(DeskController, (r) => ({
  ...FwResourceRoutes(r, DeskController, {
    only: ['index', 'new', 'create', 'show', 'edit', 'update', 'destroy'],
  }),
  publishUrl: r.post('/desk/articles/:id/publish', 'publish'),
  withdrawUrl: r.post('/desk/articles/:id/withdraw', 'withdraw'),
}))
