/** Gives a controller its views. */
import { renderTyped, streamTyped, type ControllerClass, type Ctor } from '../action.ts'
import type { LayoutName, StreamedPage, ViewName, Views, ViewValues } from '../view.ts'

/** A rendered page; a promise only when a template awaits something. */
export type Page = string | Promise<string>

/** What `Rendering` adds. */
export interface HasRendering {
  /**
   * The page of a view with values that the compiler checks against its `<%@val%>` lines; they lie over the request scope.
   * @throws FwError `view.not-found`
   * @spec General rules › 3
   */
  render<V extends keyof Views & string>(view: V, values: ViewValues<V>): Page
  /**
   * The page of a view with the request scope's values.
   * @throws FwError `view.not-found`, `view.value-missing`, `view.value-wrong-type`
   */
  render(view: ViewName): Page
  /**
   * A large page in parts, each made as the client takes it, after the commit; a part ends where a loop begins anew. The
   * action still makes the first part and the layout, so that their errors are answered as such. A later error cuts the
   * connection: part of a page never looks like the whole.
   * @throws FwError as `render`, and `view.not-streamable`
   */
  renderStream<V extends keyof Views & string>(
    view: V,
    values: ViewValues<V>,
  ): Promise<StreamedPage>
  renderStream(view: ViewName): Promise<StreamedPage>
  /** The layout of this request's page; false for none. */
  layout(name: LayoutName | false): this
}

/** Renders `.ssp` views in the request's format. @spec General rules › 2, 3, 4 */
export const Rendering = <B extends ControllerClass>(Base: B): B & Ctor<HasRendering> => {
  abstract class Rendering extends Base implements HasRendering {
    render(view: string, values?: object): Page {
      return renderTyped(this.ctx, view, values)
    }

    renderStream(view: string, values?: object): Promise<StreamedPage> {
      return streamTyped(this.ctx, view, values)
    }

    layout(name: string | false): this {
      this.ctx.layout = name
      return this
    }
  }
  return Rendering
}
