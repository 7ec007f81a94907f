import type { ProductImage } from './product-image.js'

/** How the operator presents the service. */
export interface Product {
  /** Name in headers, titles and wallets. */
  readonly name: string
  /** Image shown instead of the name; undefined for a sign with the name. */
  readonly wordmark: ProductImage | undefined
  /** Icon in tabs of browsers; undefined for the sign in the accent colour. */
  readonly favicon: ProductImage | undefined
  /** Colour of links and buttons, such as `#2456e6`. */
  readonly accentColour: string
  /** E-mail address or URL for support; undefined without one. */
  readonly support: string | undefined
  /** URL of the terms of use; undefined without them. */
  readonly terms: string | undefined
  /** URL or path of the guides; undefined without them. */
  readonly guides: string | undefined
  /** Folder of the guides that the service serves; undefined if it serves none. */
  readonly guidesFolder: string | undefined
}

/** Returns the link to the support of a product. */
export const supportLink = (support: string): string =>
  support.includes('://') ? support : `mailto:${support}`
