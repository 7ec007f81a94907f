import type { IncomingHttpHeaders } from 'node:http'

/** A theme that a visitor has chosen. */
export type Theme = 'light' | 'dark'

/** Name of the cookie with the chosen theme. */
export const themeCookie = 'concordat.theme'

const pattern = new RegExp(`(?:^|;\\s*)${themeCookie.replace('.', '\\.')}=(light|dark)(?:;|$)`)

/** Reads the chosen theme from the cookies of a request; undefined for that of the visitor's system. */
export const readTheme = ({ cookie = '' }: IncomingHttpHeaders): Theme | undefined =>
  pattern.exec(cookie)?.[1] as Theme | undefined
