import type { ComponentType } from 'react'
import {
  ActivityLogIcon,
  ArchiveIcon,
  BellIcon,
  EnterIcon,
  HeartIcon,
  HomeIcon,
  Link2Icon,
  LockClosedIcon,
  PlayIcon,
  QuestionMarkCircledIcon,
  ReaderIcon,
} from '@radix-ui/react-icons'
import type { Role } from './api/types.ts'
import { pageAt } from './page-at.ts'

/** A part of the page with an entry in the navigation. */
export interface View {
  /** First part of its paths; the server knows them too (`server/http/page/serve-page.ts`). */
  readonly path: string
  readonly title: string
  /** Behind `g` it leads here. */
  readonly letter: string
  readonly icon: ComponentType<{ readonly width?: number; readonly height?: number }>
  /** Who may see it; the API refuses the others. */
  readonly roles: readonly Role[]
}

const everybody: readonly Role[] = ['intake', 'reader', 'analyst', 'admin']
const readers: readonly Role[] = ['reader', 'analyst', 'admin']
const admins: readonly Role[] = ['admin']

/** The navigation: what is looked at every day, what it is made of, and who may do what. */
export const viewGroups: readonly { readonly title: string; readonly views: readonly View[] }[] = [
  {
    title: 'Watch',
    views: [
      { path: 'alerts', title: 'Alerts', letter: 'a', icon: BellIcon, roles: readers },
      { path: 'cases', title: 'Cases', letter: 'c', icon: ArchiveIcon, roles: readers },
      { path: 'runs', title: 'Runs', letter: 'r', icon: PlayIcon, roles: readers },
      { path: 'checkpoints', title: 'Waiting', letter: 'w', icon: QuestionMarkCircledIcon, roles: readers },
    ],
  },
  {
    title: 'Build',
    views: [
      { path: 'playbooks', title: 'Playbooks', letter: 'p', icon: ReaderIcon, roles: readers },
      { path: 'connections', title: 'Connections', letter: 'n', icon: Link2Icon, roles: readers },
    ],
  },
  {
    title: 'Operate',
    views: [
      { path: 'health', title: 'Health', letter: 'h', icon: HeartIcon, roles: readers },
      {
        path: 'organizations',
        title: 'Organizations',
        letter: 'o',
        icon: HomeIcon,
        roles: admins,
      },
      { path: 'providers', title: 'Providers', letter: 'v', icon: EnterIcon, roles: admins },
      { path: 'keys', title: 'Keys', letter: 'k', icon: LockClosedIcon, roles: admins },
      { path: 'audit', title: 'Audit', letter: 'u', icon: ActivityLogIcon, roles: admins },
    ],
  },
]

export const views: readonly View[] = viewGroups.flatMap((group) => group.views)

/** Who may see what is at a path: everybody what is no view. */
export function rolesAt(path: string): readonly Role[] {
  const [, first] = path.split('/', 2)
  return views.find((view) => view.path === first)?.roles ?? everybody
}

/** What each path shows. Each is loaded when it is first looked at. */
export const pages = [
  pageAt('/alerts', () => import('./alerts/alerts-view.tsx')),
  pageAt('/alerts/:id', () => import('./alerts/alert-page.tsx')),
  pageAt('/cases', () => import('./cases/cases-view.tsx')),
  pageAt('/cases/:id', () => import('./cases/case-page.tsx')),
  pageAt('/runs', () => import('./runs/list/runs-view.tsx')),
  pageAt('/runs/:id', () => import('./runs/run/run-page.tsx')),
  pageAt('/checkpoints', () => import('./checkpoints/checkpoints-view.tsx')),
  pageAt('/playbooks', () => import('./playbooks/playbooks-view.tsx')),
  pageAt('/playbooks/new', () => import('./playbooks/edit/new-playbook.tsx')),
  pageAt('/playbooks/:id', () => import('./playbooks/playbook-page.tsx')),
  pageAt('/connections', () => import('./connections/connections-view.tsx')),
  pageAt('/connections/new', () => import('./connections/new-connection.tsx')),
  pageAt('/connections/:id', () => import('./connections/connection-page.tsx')),
  pageAt('/organizations', () => import('./directory/organizations-view.tsx')),
  pageAt('/providers', () => import('./directory/providers-view.tsx')),
  pageAt('/keys', () => import('./keys/keys-view.tsx')),
  pageAt('/audit', () => import('./audit/audit-view.tsx')),
  pageAt('/health', () => import('./health/health-view.tsx')),
] as const
