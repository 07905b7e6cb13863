import { createElement, lazy, useState, type ComponentType } from 'react'

/**
 * A page that is loaded when it is first looked at, or before by `load`. What has been loaded is shown at once: React would show the
 * fallback for a moment, and then hold the page back for some 300 ms so that it does not flicker.
 */
export function pageAt(path: string, load: () => Promise<{ readonly default: ComponentType }>) {
  let loaded: ComponentType | undefined
  const loadOnce = async () => {
    const module = await load()
    loaded = module.default
    return module
  }
  const later = lazy(loadOnce)
  function Page() {
    const [shown] = useState<ComponentType>(() => loaded ?? later)
    return createElement(shown)
  }
  return { path, load: loadOnce, page: Page }
}
