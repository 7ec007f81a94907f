import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { title } from '@concordat/node-access-contract/contract'
import { guidesPath, type Product, type ProductImage, readProductImage } from '../dashboard/index.js'
import { OperatorError, reasonOf } from '../util/index.js'
import type { Settings } from './config.js'

/** Largest image in bytes, so that pages stay small. */
const mostImageBytes = 20_480

/**
 * Reads the product's settings and its images.
 * @throws OperatorError `invalid_input` for an image that cannot be used, and for a folder without guides
 */
export async function readProduct({ product }: Pick<Settings, 'product'>): Promise<Product> {
  const { name = title, accentColour, support, terms, guidesUrl, guidesFolder } = product
  const [wordmark, favicon] = await Promise.all([
    readImage('CONCORDAT_PRODUCT_WORDMARK (in a file product.wordmark)', product.wordmark),
    readImage('CONCORDAT_PRODUCT_FAVICON (in a file product.favicon)', product.favicon),
  ])
  if (guidesFolder !== undefined)
    await access(join(guidesFolder, 'index.html')).catch((cause: unknown) => {
      const setting = 'CONCORDAT_PRODUCT_GUIDES_FOLDER (in a file product.guidesFolder)'
      throw new OperatorError('invalid_input', `${setting} has no guides: ${reasonOf(cause)}`, { cause })
    })
  const guides = guidesUrl ?? (guidesFolder === undefined ? undefined : guidesPath)
  return { name, wordmark, favicon, accentColour, support, terms, guides, guidesFolder }
}

async function readImage(setting: string, file: string | undefined): Promise<ProductImage | undefined> {
  if (file === undefined) return undefined
  const body = await readFile(file).catch((error: unknown) => {
    throw new OperatorError('invalid_input', `${setting} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    })
  })
  const image = body.length > mostImageBytes ? undefined : readProductImage(body)
  if (image === undefined)
    throw new OperatorError(
      'invalid_input',
      `${setting} must be an SVG or PNG image with a size, of at most ${mostImageBytes / 1_024} KiB: ${file}`,
    )
  return image
}
