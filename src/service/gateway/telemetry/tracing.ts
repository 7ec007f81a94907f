import type { RequestFacts } from '@concordat/server'
import type { Span, SpanContext, Tracer } from '@opentelemetry/api'
import type { SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { NodeSpan } from '../nodes/index.js'
import type { RequestOutcome, RequestTrace } from '../request/index.js'

/** Settings of traces. */
export interface TraceSettings {
  /** OTLP endpoint over HTTP with JSON, such as `http://collector:4318/v1/traces`. */
  readonly endpoint: string
  /** Service name in the traces. */
  readonly serviceName: string
  /** Share of traced requests, 0 to 1, if the caller sends no trace context. */
  readonly ratio: number
}

/** Traces of requests. */
export interface Tracing {
  /** Begins the trace of a request, or continues the caller's trace (`traceparent`). Without an end it is not sent. */
  readonly startTrace: (headers: RequestFacts['headers']) => RequestTrace
  /** Sends the remaining spans. */
  close(): Promise<void>
}

/** Maximum time for sending traces at shutdown, in milliseconds. */
const flushMs = 1_000

/** The status of a request whose caller disconnected before the answer. */
const disconnected = 499

/** W3C Trace Context, section 3.2: version, trace, parent, flags. Additions of later versions are ignored. */
const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** Minimum time between two reports of lost traces, in milliseconds. */
const quietMs = 60_000

/**
 * Loads OpenTelemetry and sends traces to an endpoint. It is loaded only if tracing is configured.
 * @param onLost called at most once a minute with the reason why traces could not be sent
 */
export async function openTracing(
  settings: TraceSettings,
  onLost: (reason: string) => void,
): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  const exporter = watched(new OTLPTraceExporter({ url: settings.endpoint }), onLost)
  const root = new sdk.TraceIdRatioBasedSampler(settings.ratio)
  const provider = new sdk.TracerProvider({
    resource: resourceOf(settings.serviceName),
    sampler: new sdk.ParentBasedSampler({ root }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const tracer: Tracer = provider.getTracer('concordat')

  function nodeSpan(parent: Span, node: string, method: string): NodeSpan {
    const attributes = { 'rpc.system': 'jsonrpc', 'rpc.method': method, 'concordat.node': node }
    const options = { kind: SpanKind.CLIENT, attributes }
    const span = tracer.startSpan(`${method} ${node}`, options, trace.setSpan(ROOT_CONTEXT, parent))
    return {
      traceparent: written(span.spanContext()),
      end(outcome) {
        if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
        span.setAttribute('concordat.outcome', outcome).end()
      },
    }
  }

  /** Ends the span of a request, after the end of its streams. */
  async function finish(
    span: Span,
    { context, status = disconnected, calls }: RequestOutcome,
  ): Promise<void> {
    const errors = await Promise.all(
      calls.map(async ({ error, ended }) => (ended ? (await ended).error : error)),
    )
    const method = calls[0]?.method
    if (calls.length > 1) span.updateName('batch')
    else if (method !== undefined) span.updateName(method)
    if (method !== undefined) span.setAttribute('rpc.method', method)
    for (const error of errors)
      if (error !== undefined) span.addEvent('error', { 'rpc.jsonrpc.error_code': error.code })
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttributes({
      'concordat.key_id': context?.key.id ?? '',
      'concordat.network': context?.key.network ?? '',
      'http.response.status_code': status,
      'concordat.requests': calls.length,
    })
    span.end()
  }

  return {
    startTrace(headers) {
      const sent = parentOf(headers['traceparent'])
      const context = sent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sent)
      const options = { kind: SpanKind.SERVER, attributes: { 'rpc.system': 'jsonrpc' } }
      const span = tracer.startSpan('POST', options, context)
      return {
        nodeCall: (node, method) => nodeSpan(span, node, method),
        end: (outcome) => void finish(span, outcome),
      }
    },
    close: () => soonOrNever(provider.shutdown()),
  }
}

/** Wraps an exporter to report lost traces. */
function watched(exporter: SpanExporter, onLost: (reason: string) => void): SpanExporter {
  let toldAt = Number.NEGATIVE_INFINITY
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = performance.now()
        // ExportResultCode of OpenTelemetry: 0 is success.
        if (result.code !== 0 && now - toldAt >= quietMs) {
          toldAt = now
          onLost(result.error?.message || 'the collector rejected them')
        }
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

/** Waits for the last traces up to a timeout; unsent traces are lost. */
function soonOrNever(sending: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, flushMs)
    const settle = () => {
      clearTimeout(timer)
      resolve()
    }
    sending.then(settle, settle)
  })
}

type Resource = NonNullable<NonNullable<ConstructorParameters<typeof TracerProvider>[0]>['resource']>

/** The resource of the traces: only the service name, and nothing about the machine. */
function resourceOf(serviceName: string): Resource {
  const attributes = { 'service.name': serviceName }
  const resource: Resource = {
    attributes,
    asyncAttributesPending: false,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return resource
}

function parentOf(header: string | string[] | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof header === 'string' && traceparent.exec(header)) || []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

const written = ({ traceId, spanId, traceFlags }: SpanContext) =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
