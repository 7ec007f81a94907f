import type { ComponentChildren } from 'preact'

/** Said once, behind something that was done. */
export function Notice({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="notice good" role="status">
      {children}
    </p>
  )
}
