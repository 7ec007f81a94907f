import { readFile } from 'node:fs/promises'
import { title } from '@concordat/node-access-contract/contract'
import { type Product, type ProductImage, readProductImage } from '../dashboard/index.js'
import { OperatorError, reasonOf } from '../util/index.js'
import type { Settings } from './config.js'

/** Largest image in bytes, so that pages stay small. */
const mostImageBytes = 20_480

/**
 * Reads the product's settings and its images.
 * @throws OperatorError `invalid_input` for an image that cannot be used
 */
export async function readProduct({ product }: Pick<Settings, 'product'>): Promise<Product> {
  const { name = title, accentColour, support, terms } = product
  const [wordmark, favicon] = await Promise.all([
    readImage('CONCORDAT_PRODUCT_WORDMARK (in a file product.wordmark)', product.wordmark),
    readImage('CONCORDAT_PRODUCT_FAVICON (in a file product.favicon)', product.favicon),
  ])
  return { name, wordmark, favicon, accentColour, support, terms }
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
