import type { FastifyReply, FastifyRequest } from 'fastify'
import { render } from 'preact-render-to-string'
import type { SignedIn } from '../accounts/index.js'
import type { Answer, PageAnswer } from './answer.js'
import type { Assets } from './assets.js'
import { codingFor, encode } from './codings.js'
import type { DashboardServices } from './dashboard-services.js'
import type { FlashMessages } from './flash-messages.js'
import { createFormToken, useNewSession } from './form-token.js'
import { ownLimits } from './own-limits.js'
import { Layout } from './parts/layout.js'
import { PageContext, type Quota } from './parts/page-context.js'
import { typeface } from './product/typeface.js'
import { readTheme, type Theme } from './theme/theme.js'

/** Sends the response of a page handler. */
export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  user: SignedIn | undefined,
) => Promise<FastifyReply>

const SEE_OTHER = 303
/** The lowest status of a refused form. */
const firstRefused = 400
const wholePercent = 100
/** Smallest page that is compressed, in bytes. */
const smallestPacked = 1_000

/** Creates the function that renders pages within the layout and sends them uncached. */
export function createSendPage(
  services: DashboardServices,
  assets: Assets,
  flashMessages: FlashMessages,
  sessionCookie: string,
): SendPage {
  /** Returns the requests of today if they are to be shown. A page without them is better than none. */
  const quotaOf = async (user: SignedIn): Promise<Quota | undefined> => {
    const { requestsPerUserPerDay: limit, quotaWarningPercent } = ownLimits(services.limits, user)
    const used = await services.usedToday(user.userId).catch(() => 0)
    return used * wholePercent < limit * quotaWarningPercent ? undefined : { used, limit }
  }
  const render = async (
    request: FastifyRequest,
    reply: FastifyReply,
    answer: PageAnswer,
    user: SignedIn | undefined,
  ) =>
    renderPage({
      // Screen readers read the title first (WCAG technique G199).
      answer: isRefusedForm(request, answer) ? { ...answer, title: `Error: ${answer.title}` } : answer,
      user,
      isOperator: user !== undefined && services.accounts.isOperator(user),
      hasForms: reply.generateCsrf !== undefined,
      theme: readTheme(request.headers),
      path: request.url.split('?')[0] ?? '/',
      quota: user && (await quotaOf(user)),
      csrf: createFormToken(request, reply, sessionCookie),
      assets,
      services,
    })
  return async (request, reply, answer, user) => {
    reply.header('cache-control', 'no-store')
    for (const cookie of answer.setCookies) reply.header('set-cookie', cookie)
    if (answer.kind === 'redirect') {
      if (answer.done !== undefined) flashMessages.set(reply, answer.to, answer.done)
      return reply.code(SEE_OTHER).header('location', answer.to).send()
    }
    useNewSession(request, answer.setCookies, sessionCookie)
    const html = Buffer.from(await render(request, reply, answer, user))
    reply
      .code(answer.status)
      .headers({ ...answer.headers, 'content-type': 'text/html; charset=utf-8', vary: 'accept-encoding' })
    const coding = codingFor(request.headers['accept-encoding'])
    if (html.length < smallestPacked || coding === undefined) return reply.send(html)
    return reply.header('content-encoding', coding).send(await encode(coding, html))
  }
}

/** Titles of error pages say so already. */
const isRefusedForm = ({ method }: FastifyRequest, { status, title }: PageAnswer): boolean =>
  method === 'POST' && status >= firstRefused && !title.startsWith('Error')

interface Rendering {
  readonly answer: PageAnswer
  readonly user: SignedIn | undefined
  readonly isOperator: boolean
  readonly hasForms: boolean
  readonly theme: Theme | undefined
  readonly path: string
  readonly quota: Quota | undefined
  readonly csrf: () => string
  readonly assets: Assets
  readonly services: DashboardServices
}

function renderPage({ answer, csrf, assets, services, ...context }: Rendering): string {
  const { title, body, scripts } = answer
  const { product, referencePath } = services
  const document = (
    <PageContext.Provider value={{ csrf, ...context }}>
      <Layout
        title={title}
        product={product}
        favicon={assets.href(assets.favicon)}
        typeface={assets.href(typeface)}
        wordmark={assets.wordmark && assets.href(assets.wordmark)}
        referencePath={referencePath}
        styles={assets.href('pages.css')}
        scripts={['dashboard.js', ...scripts].map(assets.href)}
      >
        {body}
      </Layout>
    </PageContext.Provider>
  )
  return `<!doctype html>${render(document)}`
}
