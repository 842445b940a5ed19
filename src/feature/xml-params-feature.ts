/** Lets a controller read XML bodies as parameters. */
import type { ControllerClass, Ctor } from '../action.ts'
import { isXmlType, xmlFields } from '../http.ts'
import { BodyParams } from './body-params.ts'

/** What `XmlParamsFeature` adds. */
export interface HasXmlParams {
  /**
   * What the document's root held, once read, as JSON would have it: elements with elements are objects, several of one
   * name a list, the rest texts. `undefined` for other bodies. What it holds is unchecked.
   */
  readonly xmlBody: unknown
}

const bodies = new BodyParams({
  isType: isXmlType,
  read: (request) => request.xml(),
  fieldsOf: xmlFields,
})

/**
 * The elements below the root of an XML body are form parameters, as the members of a JSON body are with
 * `JsonParamsFeature`: nested ones by dotted keys, several of one name by `multiParams`. An empty element is a blank field.
 * @throws HttpError 400 `http.xml-invalid`: before any filter runs
 * @spec Parameter access
 */
export const XmlParamsFeature = <B extends ControllerClass>(Base: B): B & Ctor<HasXmlParams> => {
  abstract class XmlParamsFeature extends Base implements HasXmlParams {
    static {
      bodies.register(this)
    }

    get xmlBody(): unknown {
      return bodies.of(this.ctx)
    }
  }
  return XmlParamsFeature
}
