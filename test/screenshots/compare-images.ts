import type { Browser, Page } from 'playwright-core'

/** What differs between two screenshots. */
export interface ImageDifference {
  /** The part of the screenshot that differs, from 0 to 1; undefined for another size. */
  readonly share: number | undefined
  /** Both screenshots and the places that differ, side by side; WebP, base64. */
  readonly sheet: string
}

/** Compares and packs screenshots in canvases of a browser page. */
export interface ImageTools {
  /**
   * Returns what differs, or undefined.
   * @param stored packed PNG, base64
   * @param taken PNG, base64
   */
  compare(stored: string, taken: string): Promise<ImageDifference | undefined>
  /**
   * Packs a PNG: its colours are rounded to steps of 8 levels, or of 16 if these are too many for a palette; both base64.
   * Larger steps would differ from the screenshot itself by more than the tolerance.
   * @throws Error if a screenshot has more than 256 colours in steps of 16 levels
   */
  pack(png: string): Promise<string>
}

/**
 * Colours are compared as means of tiles, in levels of 255: machines draw the edges of letters differently, which moves
 * few pixels of a tile, and little. A letter that moved, or has another colour, changes its tile by more.
 */
const tolerance = { tilePixels: 6, levels: 12 }

/** Opens the page with the canvases. */
export async function openImageTools(browser: Browser): Promise<ImageTools> {
  const page: Page = await browser.newPage()
  await page.evaluate(inPage)
  return {
    compare: (stored, taken) =>
      page.evaluate(([one, other, limits]) => (globalThis as unknown as InPage).compare(one, other, limits), [
        stored,
        taken,
        tolerance,
      ] as const),
    pack: (png) => page.evaluate((text) => (globalThis as unknown as InPage).pack(text), png),
  }
}

interface InPage {
  compare(stored: string, taken: string, limits: typeof tolerance): Promise<ImageDifference | undefined>
  pack(png: string): Promise<string>
}

/** Text of the page's functions, because the tests lack the DOM types. */
const inPage = `
const canvasOf = (width, height) => Object.assign(document.createElement('canvas'), { width, height })
async function read(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const canvas = canvasOf(image.width, image.height)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context.drawImage(image, 0, 0)
  return { canvas, data: context.getImageData(0, 0, image.width, image.height).data }
}
const crcs = Int32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit += 1) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1
  return n
})
function chunk(type, body) {
  const bytes = new Uint8Array(body.length + 12)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, body.length)
  bytes.set([...type].map((letter) => letter.charCodeAt(0)), 4)
  bytes.set(body, 8)
  let crc = -1
  for (let at = 4; at < body.length + 8; at += 1) crc = crcs[(crc ^ bytes[at]) & 255] ^ (crc >>> 8)
  view.setUint32(body.length + 8, ~crc)
  return bytes
}
/** The rows of an indexed PNG and its palette; undefined for more than 256 colours (PNG, 4.1 and 7.1). */
function indexed(data, width, height, step) {
  const places = new Map()
  const palette = []
  const rows = new Uint8Array((width + 1) * height)
  const level = (value) => Math.min(255, Math.round(value / step) * step)
  for (let y = 0, from = 0, to = 0; y < height; y += 1) {
    to += 1
    for (let x = 0; x < width; x += 1, from += 4, to += 1) {
      const colour = (level(data[from]) << 16) | (level(data[from + 1]) << 8) | level(data[from + 2])
      let place = places.get(colour)
      if (place === undefined) {
        place = places.size
        places.set(colour, place)
        palette.push(colour >> 16, (colour >> 8) & 255, colour & 255)
      }
      rows[to] = place
    }
  }
  return places.size > 256 ? undefined : { rows, palette }
}

globalThis.pack = async (png) => {
  const { canvas: { width, height }, data } = await read(png)
  const { rows, palette } = indexed(data, width, height, 8) ?? indexed(data, width, height, 16)
  const head = new Uint8Array(13)
  new DataView(head.buffer).setUint32(0, width)
  new DataView(head.buffer).setUint32(4, height)
  head.set([8, 3], 8)
  const packed = await new Response(new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate'))).arrayBuffer()
  const parts = [
    Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10),
    chunk('IHDR', head),
    chunk('PLTE', Uint8Array.from(palette)),
    chunk('IDAT', new Uint8Array(packed)),
    chunk('IEND', new Uint8Array(0)),
  ]
  const url = await new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result)
    reader.readAsDataURL(new Blob(parts))
  })
  return url.split(',')[1]
}

globalThis.compare = async (stored, taken, { tilePixels, levels }) => {
  const [one, other] = [await read(stored), await read(taken)]
  const { width, height } = one.canvas
  const isSameSize = width === other.canvas.width && height === other.canvas.height
  const marked = []
  if (isSameSize) {
    const columns = Math.ceil(width / tilePixels)
    const sums = new Int32Array(columns * Math.ceil(height / tilePixels) * 3)
    for (let y = 0, at = 0; y < height; y += 1) {
      const row = Math.floor(y / tilePixels) * columns
      for (let x = 0; x < width; x += 1, at += 4) {
        const tile = (row + Math.floor(x / tilePixels)) * 3
        for (let channel = 0; channel < 3; channel += 1)
          sums[tile + channel] += one.data[at + channel] - other.data[at + channel]
      }
    }
    for (let tile = 0; tile < sums.length; tile += 3) {
      const most = Math.max(Math.abs(sums[tile]), Math.abs(sums[tile + 1]), Math.abs(sums[tile + 2]))
      if (most > levels * tilePixels * tilePixels)
        marked.push([((tile / 3) % columns) * tilePixels, Math.floor(tile / 3 / columns) * tilePixels])
    }
    if (marked.length === 0) return undefined
  }
  const gap = 16
  const sheet = canvasOf(width + gap + other.canvas.width, Math.max(height, other.canvas.height))
  const context = sheet.getContext('2d')
  context.fillStyle = '#888'
  context.fillRect(0, 0, sheet.width, sheet.height)
  context.drawImage(one.canvas, 0, 0)
  context.drawImage(other.canvas, width + gap, 0)
  context.fillStyle = 'rgb(255 0 80 / 0.35)'
  for (const [x, y] of marked)
    for (const left of [0, width + gap]) context.fillRect(left + x, y, tilePixels, tilePixels)
  const tiles = Math.ceil(width / tilePixels) * Math.ceil(height / tilePixels)
  const share = isSameSize ? marked.length / tiles : undefined
  return { share, sheet: sheet.toDataURL('image/webp', 0.8).split(',')[1] }
}
undefined`
