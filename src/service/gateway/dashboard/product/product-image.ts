/** An image of the operator. */
export interface ProductImage {
  readonly type: 'svg' | 'png'
  readonly body: Buffer
  /** Size in pixels, which reserves the room of the image while it loads. */
  readonly width: number
  readonly height: number
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')
/** Offsets of the size in the first chunk of a PNG (ISO/IEC 15948, 11.2.2). */
const widthAt = 16
const heightAt = 20
const headerEnd = 24

/**
 * Reads an SVG or PNG image.
 * @returns undefined for other contents, and for images without a size (of an SVG: `width` and `height`, or `viewBox`)
 */
export function readProductImage(body: Buffer): ProductImage | undefined {
  if (body.subarray(0, pngSignature.length).equals(pngSignature) && body.length >= headerEnd)
    return sized('png', body, body.readUInt32BE(widthAt), body.readUInt32BE(heightAt))
  const [tag] = /<svg\b[^>]*>/.exec(body.toString('utf8')) ?? []
  if (tag === undefined) return undefined
  const length = (name: string) => Number(new RegExp(`\\s${name}=["']([\\d.]+)(?:px)?["']`).exec(tag)?.[1])
  const [, wide, high] = /\sviewBox=["'][\d.-]+[\s,]+[\d.-]+[\s,]+([\d.]+)[\s,]+([\d.]+)["']/.exec(tag) ?? []
  return sized('svg', body, length('width') || Number(wide), length('height') || Number(high))
}

const sized = (type: ProductImage['type'], body: Buffer, width: number, height: number) =>
  width > 0 && height > 0 ? { type, body, width, height } : undefined
