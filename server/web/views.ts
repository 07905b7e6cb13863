import { lazy, type ComponentType } from 'react'
import { ArchiveIcon, BellIcon, PlayIcon } from '@radix-ui/react-icons'
import type { Role } from './api/types.ts'

/** A part of the page with an entry in the navigation. */
export interface View {
  /** First part of its paths; the server knows them too (`server/http/page/serve-page.ts`). */
  readonly path: string
  readonly title: string
  readonly icon: ComponentType<{ readonly width?: number; readonly height?: number }>
  /** Who may see it; the API refuses the others. */
  readonly roles: readonly Role[]
}

const readers: readonly Role[] = ['reader', 'analyst', 'admin']

export const views: readonly View[] = [
  { path: 'alerts', title: 'Alerts', icon: BellIcon, roles: readers },
  { path: 'cases', title: 'Cases', icon: ArchiveIcon, roles: readers },
  { path: 'runs', title: 'Runs', icon: PlayIcon, roles: readers },
]

/** What each path shows. Each is loaded when it is first looked at. */
export const pages = [
  { path: '/alerts', page: lazy(() => import('./alerts/alerts-view.tsx')) },
  { path: '/alerts/:id', page: lazy(() => import('./alerts/alert-page.tsx')) },
  { path: '/cases', page: lazy(() => import('./cases/cases-view.tsx')) },
  { path: '/cases/:id', page: lazy(() => import('./cases/case-page.tsx')) },
  { path: '/runs', page: lazy(() => import('./runs/runs-view.tsx')) },
  { path: '/runs/:id', page: lazy(() => import('./runs/run-page.tsx')) },
] as const
