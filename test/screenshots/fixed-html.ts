/** What a service writes differently on each start, with the text that screenshots show instead. */
const changing: readonly (readonly [pattern: RegExp, fixed: string])[] = [
  // Keys: masked, and in URLs.
  [/(?<![\w-])[\w-]{3}…[\w-]{2}-([TM])(?![\w-])/g, 'h7Q…w9-$1'],
  [/(?<!data-console=")(http:\/\/127\.0\.0\.1):\d+/g, '$1:8080'],
  [/(?<!data-console="[^"]*)\b[A-Za-z\d]{30}-([TM])(?![\w-])/g, 'h7Qk2Zp0vL4sXt9BcR1mYd6KeN3jw9-$1'],
  [/(?<=>)usr_[a-z\d]{16}(?=<)/g, 'usr_k2m9x4q7a1c8e5b3'],
  // A check of a node may be on its way, or have failed on a busy machine.
  [/(?<=data-label="(?:Calls in flight|Failed calls)">)\d+(?=<)/g, '0'],
  // The key and the recovery codes of a second factor.
  [/(?<=<code>)(?:[A-Z2-7]{4} )+[A-Z2-7]{1,4}(?=<)/g, 'JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP'],
  [/(?<=<code>)(?:[a-z\d]{4}-){3}[a-z\d]{4}(?=<)/g, 'k3jd-9xm2-qa7p-h4wz'],
]
const durations = ['0.42 ms', '1.3 ms', '2.1 ms', '8.4 ms', '12 ms', '35 ms', '0.09 ms', '1.2 s']
const duration = /(?<=[>·] ?)\d[\d.,]* m?s(?=<| ·)/g
const chart = /(?<= data-chart=")[^"]*(?=")/g
/** A QR code, with its size in modules, and its dark modules. */
const qrCode = /(<svg class="qr" viewBox="0 0 (\d+) .*?<path d=")[^"]*/gs

/**
 * Replaces what differs between two runs in the HTML of a page: keys, ports, ids, durations, counts of nodes, and secrets
 * of a second factor. Each replacement is as wide as what it replaces.
 */
export function fixedHtml(html: string): string {
  let shown = 0
  const next = () => durations[shown++ % durations.length] ?? ''
  return changing
    .reduce((text, [pattern, fixed]) => text.replaceAll(pattern, fixed), html)
    .replaceAll(duration, next)
    .replaceAll(chart, fixedChart)
    .replaceAll(qrCode, (_, start: string, size: string) => start + finders(Number(size)))
}

/** The finder patterns of a QR code alone. Its size and its light ground stay, without which no phone reads it. */
function finders(size: number): string {
  const far = size - 11
  const corners = [
    [4, 4],
    [far, 4],
    [4, far],
  ]
  return corners
    .map(([x = 0, y = 0]) => `M${x} ${y}h7v7h-7zM${x + 1} ${y + 1}v5h5v-5zM${x + 2} ${y + 2}h3v3h-3z`)
    .join('')
}

/** A chart of durations gets a shape that does not depend on the machine. */
function fixedChart(escaped: string): string {
  const drawn = JSON.parse(escaped.replaceAll('&quot;', '"')) as {
    readonly unit: string
    readonly series: readonly { readonly values: readonly (number | null)[] }[]
  }
  if (drawn.unit !== 'ms') return escaped
  const series = drawn.series.map((each, line) => ({
    ...each,
    values: each.values.map((value, at) => (value === null ? null : (line + 1) * (2 + (at % 4)))),
  }))
  return JSON.stringify({ ...drawn, series }).replaceAll('"', '&quot;')
}
