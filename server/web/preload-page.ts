import { pages } from './views.ts'

/** Begins to load what a path shows, while it is not known yet who is signed in. What fails is reported when it is to be shown. */
export function preloadPage(path: string): void {
  const parts = path === '/' ? ['', 'alerts'] : path.split('/')
  const fits = (pattern: string): boolean => {
    const wanted = pattern.split('/')
    return (
      wanted.length === parts.length && wanted.every((part, at) => part === parts[at] || part.startsWith(':'))
    )
  }
  pages
    .find((page) => fits(page.path))
    ?.load()
    .catch(() => undefined)
}
