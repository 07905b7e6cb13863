import { lazy, type ComponentType } from 'react'
import {
  ActivityLogIcon,
  ArchiveIcon,
  BellIcon,
  HeartIcon,
  Link2Icon,
  LockClosedIcon,
  PlayIcon,
  QuestionMarkCircledIcon,
  ReaderIcon,
} from '@radix-ui/react-icons'
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
const operators: readonly Role[] = ['analyst', 'admin']
const admins: readonly Role[] = ['admin']

/** The navigation: what is looked at every day, what it is made of, and who may do what. */
export const viewGroups: readonly { readonly title: string; readonly views: readonly View[] }[] = [
  {
    title: 'Watch',
    views: [
      { path: 'alerts', title: 'Alerts', icon: BellIcon, roles: readers },
      { path: 'cases', title: 'Cases', icon: ArchiveIcon, roles: readers },
      { path: 'runs', title: 'Runs', icon: PlayIcon, roles: readers },
      { path: 'checkpoints', title: 'Waiting', icon: QuestionMarkCircledIcon, roles: operators },
    ],
  },
  {
    title: 'Build',
    views: [
      { path: 'playbooks', title: 'Playbooks', icon: ReaderIcon, roles: readers },
      { path: 'connections', title: 'Connections', icon: Link2Icon, roles: readers },
    ],
  },
  {
    title: 'Operate',
    views: [
      { path: 'health', title: 'Health', icon: HeartIcon, roles: readers },
      { path: 'keys', title: 'Keys', icon: LockClosedIcon, roles: admins },
      { path: 'audit', title: 'Audit', icon: ActivityLogIcon, roles: admins },
    ],
  },
]

export const views: readonly View[] = viewGroups.flatMap((group) => group.views)

/** What each path shows. Each is loaded when it is first looked at. */
export const pages = [
  { path: '/alerts', page: lazy(() => import('./alerts/alerts-view.tsx')) },
  { path: '/alerts/:id', page: lazy(() => import('./alerts/alert-page.tsx')) },
  { path: '/cases', page: lazy(() => import('./cases/cases-view.tsx')) },
  { path: '/cases/:id', page: lazy(() => import('./cases/case-page.tsx')) },
  { path: '/runs', page: lazy(() => import('./runs/runs-view.tsx')) },
  { path: '/runs/:id', page: lazy(() => import('./runs/run-page.tsx')) },
  { path: '/checkpoints', page: lazy(() => import('./checkpoints/checkpoints-view.tsx')) },
  { path: '/playbooks', page: lazy(() => import('./playbooks/playbooks-view.tsx')) },
  { path: '/playbooks/new', page: lazy(() => import('./playbooks/new-playbook.tsx')) },
  { path: '/playbooks/:id', page: lazy(() => import('./playbooks/playbook-page.tsx')) },
  { path: '/connections', page: lazy(() => import('./connections/connections-view.tsx')) },
  { path: '/connections/new', page: lazy(() => import('./connections/new-connection.tsx')) },
  { path: '/connections/:id', page: lazy(() => import('./connections/connection-page.tsx')) },
  { path: '/keys', page: lazy(() => import('./keys/keys-view.tsx')) },
  { path: '/audit', page: lazy(() => import('./audit/audit-view.tsx')) },
  { path: '/health', page: lazy(() => import('./health/health-view.tsx')) },
] as const
