import t from 'tap'
import { readProductImage } from '../../../../../src/service/gateway/dashboard/index.js'

/** A PNG's signature and header; images are not decoded. */
const png = (width: number, height: number) =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    Buffer.from([0, 0, 0, width, 0, 0, 0, height]),
  ])

const read: readonly (readonly [given: string | Buffer, want: object | undefined])[] = [
  ['<svg xmlns="x" width="120" height="24"/>', { type: 'svg', width: 120, height: 24 }],
  ["<?xml version='1.0'?>\n<svg width='120px' height='24.5px'>", { width: 120, height: 24.5 }],
  ['<svg viewBox="0 0 60 12">', { width: 60, height: 12 }],
  ['<svg width="100%" viewBox="-1,-1,60,12">', { width: 60, height: 12 }],
  ['<svg stroke-width="3" height="2">', undefined],
  ['<svg>', undefined],
  ['<html>', undefined],
  ['', undefined],
  [png(32, 16), { type: 'png', width: 32, height: 16 }],
  [png(0, 16), undefined],
  [png(32, 16).subarray(0, 20), undefined],
]

t.test('images have a type and a size, and other files are no images', async (t) => {
  for (const [given, want] of read) {
    const found = readProductImage(Buffer.from(given))
    if (want === undefined) t.equal(found, undefined, String(given))
    else t.match(found, want, String(given))
  }
})
