import type { ComponentChildren } from 'preact'

/** Confirms a completed action. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice good" role="status">
      {children}
    </p>
  )
}
