import { redirect } from '../answer.js'
import { type Routes, refererPath } from '../routes.js'
import { themeCookie } from './theme.js'

const YEAR_SECONDS = 31_536_000

/**
 * Adds the form that chooses a theme. It works without scripts, a session and the database.
 * @param isSecure true if browsers reach the dashboard by HTTPS
 */
export function addThemeRoutes({ always }: Routes, isSecure: boolean): void {
  always.post('/theme', ({ form, request }) => {
    const theme = form('theme')
    const isChosen = theme === 'light' || theme === 'dark'
    const cookie = [
      `${themeCookie}=${isChosen ? theme : ''}`,
      `Max-Age=${isChosen ? YEAR_SECONDS : 0}`,
      'Path=/; HttpOnly; SameSite=Lax',
      ...(isSecure ? ['Secure'] : []),
    ].join('; ')
    const from = refererPath(request.headers.referer)
    // Two slashes would begin another origin.
    return redirect(/^\/(?!\/|theme\b)/.test(from) ? from : '/', undefined, [cookie])
  })
}
