import { encode } from 'uqr'

/** Modules of the quiet zone (ISO/IEC 18004, section 6.3.8). */
const QUIET_MODULES = 4
/** Size of a module in CSS pixels. */
const MODULE_PIXELS = 4

interface QrCodeProps {
  readonly text: string
  /** Description for screen readers. */
  readonly label: string
}

/** A QR code. It is dark on white in every theme, because cameras expect that. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: 'L', border: QUIET_MODULES })
  const pixels = size * MODULE_PIXELS
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      width={pixels}
      height={pixels}
      role="img"
      aria-label={label}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(pathOfRow).join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  )
}

/** Draws the runs of dark modules of a row. */
function pathOfRow(row: readonly boolean[], y: number): string {
  const runs: string[] = []
  for (let x = 0; x < row.length; x += 1) {
    if (row[x] !== true) continue
    let end = x
    while (row[end] === true) end += 1
    runs.push(`M${x} ${y}h${end - x}v1h${x - end}z`)
    x = end
  }
  return runs.join('')
}
