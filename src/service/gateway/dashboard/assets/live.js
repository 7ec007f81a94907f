// Charts and live updates. Each element with `data-live` takes over the content of the element with the same name in
// the HTML that the service sends.

const reloadMs = 5_000
const serverError = 500
const fewestSteps = 24
const narrowBar = 0.8
const widestBar = 60
const axisSpace = 64
const pointSize = 5
const wholeSteps = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat()
const gridWidth = 1
const lineWidth = 2
const secondsPerDay = 86_400

/** URL of the chart library, which changes with its content. */
const source = [...document.scripts].find(({ src }) => new URL(src).pathname === '/assets/uplot.js')?.src
const library = source === undefined ? undefined : (await import(source)).default
const charts = new Map()

/** Returns a colour of the style sheet in the current theme. The property itself has the colours of both themes. */
function colour(name) {
  const probe = document.createElement('i')
  probe.style.color = `var(${name})`
  // Forced colours replace the colours of elements, but not those of a drawing.
  probe.style.forcedColorAdjust = 'none'
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

/** Returns cumulative values for stacked bars. The bars are drawn over one another, the highest first. */
function stacked(series) {
  return series.map((_one, from) =>
    series[0].values.map((_value, at) => series.slice(from).reduce((sum, { values }) => sum + values[at], 0)),
  )
}

/** Labels of the time axis: the date where it changes, otherwise the time. */
function tickTexts(ticks, apartSeconds) {
  let day = ''
  return ticks.map((tick) => {
    const text = momentText(tick, 0)
    const isSame = text.startsWith(day) && day !== ''
    day = text.slice(0, 10)
    if (apartSeconds >= secondsPerDay) return text.slice(5, 10)
    return isSame ? text.slice(11) : `${text.slice(11)}\n${text.slice(5, 10)}`
  })
}

/** Formats a time in UTC, because the service counts days in UTC. */
function momentText(seconds, stepSeconds) {
  const iso = new Date(seconds * 1_000).toISOString()
  if (stepSeconds >= secondsPerDay) return iso.slice(0, 10)
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}

/**
 * The range of the time axis, which ends with the current step. Charts of few steps begin earlier, so that bars do not
 * grow wide.
 */
function shownRange(moments, stepSeconds) {
  const last = moments.at(-1)
  const first = Math.min(moments[0], last - (fewestSteps - 1) * stepSeconds)
  return [first - stepSeconds / 2, last + stepSeconds / 2]
}

function draw(place) {
  const { kind, unit, stepSeconds, moments, series, link } = JSON.parse(place.dataset.chart)
  const readout = place.closest('.chart').querySelector('[data-readout]')
  const isBars = kind === 'bars'
  // The last series is drawn first, with the height of the whole stack.
  const drawn = isBars ? series.toReversed() : series
  const columns = isBars ? stacked(drawn) : drawn.map(({ values }) => values)
  const axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: gridWidth },
    ticks: { show: false },
  }
  charts.get(place)?.destroy()
  const chart = new library(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      tzDate: (seconds) => library.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
      legend: { show: false },
      cursor: { drag: { setScale: false }, points: { show: !isBars } },
      scales: {
        x: { time: true, range: () => shownRange(moments, stepSeconds) },
        y: { range: (_u, _from, to) => [0, to > 0 ? to * 1.1 : 1] },
      },
      axes: [
        { ...axis, values: (_u, ticks, _axis, _space, apartSeconds) => tickTexts(ticks, apartSeconds) },
        {
          ...axis,
          size: axisSpace,
          incrs: isBars ? wholeSteps : undefined,
          values: (_u, ticks) => ticks.map((tick) => `${number.format(tick)}${unit && ` ${unit}`}`),
        },
      ],
      series: [
        {},
        ...drawn.map(({ colour: name }) => ({
          stroke: colour(`--colour-${name}`),
          width: isBars ? 0 : lineWidth,
          fill: isBars ? colour(`--colour-${name}`) : undefined,
          paths: isBars ? library.paths.bars({ size: [narrowBar, widestBar] }) : undefined,
          points: { show: !isBars, size: pointSize },
        })),
      ],
      hooks: {
        setCursor: [
          ({ cursor: { idx } }) => {
            if (idx === null || idx === undefined) {
              readout.textContent = ''
              return
            }
            const shown = series.flatMap(({ title, values }) =>
              values[idx] === null || (isBars && values[idx] === 0)
                ? []
                : [`${title}: ${number.format(values[idx])}${unit && ` ${unit}`}`],
            )
            readout.textContent = `${momentText(moments[idx], stepSeconds)} UTC · ${shown.join(' · ') || 'none'}`
          },
        ],
      },
    },
    [moments, ...columns],
    place,
  )
  charts.set(place, chart)
  place.onclick = () => {
    const { idx } = chart.cursor
    if (link === undefined || idx === null || idx === undefined) return
    const iso = (seconds) => new Date(seconds * 1_000).toISOString()
    const step = new URLSearchParams({ from: iso(moments[idx]), to: iso(moments[idx] + stepSeconds) })
    location.assign(`${link}?${step}`)
  }
  place.style.cursor = link === undefined ? '' : 'pointer'
}

function drawAll() {
  if (library === undefined) return
  for (const place of document.querySelectorAll('[data-chart]')) draw(place)
}

/** Takes over changed content. */
function take(html) {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const fresh of body.querySelectorAll('[data-live]')) {
    const place = document.querySelector(`[data-live="${fresh.dataset.live}"]`)
    if (place === null) continue
    if (fresh.dataset.chart === undefined) {
      place.className = fresh.className
      if (place.innerHTML !== fresh.innerHTML) place.replaceChildren(...fresh.childNodes)
    } else if (place.dataset.chart !== fresh.dataset.chart) {
      place.dataset.chart = fresh.dataset.chart
      if (library !== undefined) draw(place)
    }
  }
}

/** Shows whether updates have stopped, for example because the session has ended. */
function showStale(isStale) {
  const words = isStale ? ' – updates have stopped, reload the page' : ''
  for (const place of document.querySelectorAll('[data-stale]'))
    if (place.textContent !== words) place.textContent = words
}

function takeMoment(iso) {
  showStale(false)
  for (const time of document.querySelectorAll('[data-live="at"] time')) {
    time.dateTime = iso
    time.textContent = `${iso.slice(0, 19).replace('T', ' ')} UTC`
  }
}

/** Runs updates only while the page is visible, because browsers limit the connections to a host. */
function whileVisible(start) {
  let stop
  const turn = () => {
    stop?.()
    stop = document.hidden ? undefined : start()
  }
  document.addEventListener('visibilitychange', turn)
  addEventListener('pagehide', () => stop?.())
  turn()
}

drawAll()
if (library !== undefined) {
  for (const table of document.querySelectorAll('.chart details')) {
    table.open = false
    table.dataset.closable = ''
  }
}
for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
  matchMedia(query).addEventListener('change', drawAll)
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    charts.get(target)?.setSize({ width: target.clientWidth, height: target.clientHeight })
  }
})
for (const place of charts.keys()) sizes.observe(place)

const events = document.querySelector('[data-events]')
if (events !== null) {
  whileVisible(() => {
    const stream = new EventSource(events.dataset.events)
    stream.addEventListener('content', ({ data }) => take(data))
    stream.addEventListener('at', ({ data }) => takeMoment(data))
    // The browser reconnects after an interruption; only a closed stream is final.
    stream.addEventListener('error', () => showStale(stream.readyState === EventSource.CLOSED))
    return () => stream.close()
  })
}

if (document.querySelector('[data-reload]') !== null) {
  whileVisible(() => {
    const timer = setInterval(async () => {
      const answer = await fetch(location.href, { redirect: 'manual' }).catch(() => undefined)
      if (answer?.ok) take(await answer.text())
      else if (answer !== undefined && answer.status < serverError) {
        clearInterval(timer)
        showStale(true)
      }
    }, reloadMs)
    return () => clearInterval(timer)
  })
}
