import { createElement, lazy, useState, type ComponentType } from 'react'
import {
  ScrollTextIcon,
  ChartColumnIcon,
  ArchiveIcon,
  BellIcon,
  BoxIcon,
  LogInIcon,
  HeartPulseIcon,
  BuildingIcon,
  Link2Icon,
  LockIcon,
  CircleMinusIcon,
  UserIcon,
  PlayIcon,
  CircleQuestionMarkIcon,
  BookOpenTextIcon,
  TargetIcon,
  ListChecksIcon,
} from 'lucide-react'
import type { AccessPermission } from '../../core/access/permissions.ts'

/**
 * A view that is loaded on demand, or early by `load`. A loaded one renders at once, because React would
 * show the fallback for about 300 ms.
 */
function pageAt(path: string, load: () => Promise<{ readonly default: ComponentType }>) {
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

/** A part of the page with an entry in the navigation. */
export interface View {
  /** First part of the path. The server knows it too (`server/http/page/view-paths.ts`). */
  readonly path: string
  readonly title: string
  /** Shortcut after `g`. */
  readonly letter: string
  readonly icon: ComponentType<{ readonly width?: number; readonly height?: number }>
  /** The permission to see it, in some organization. The API decides. */
  readonly needs: AccessPermission
}

/** The groups of the navigation. */
export const viewGroups: readonly { readonly title: string; readonly views: readonly View[] }[] = [
  {
    title: 'Watch',
    views: [
      { path: 'alerts', title: 'Alerts', letter: 'a', icon: BellIcon, needs: 'alerts:read' },
      { path: 'cases', title: 'Cases', letter: 'c', icon: ArchiveIcon, needs: 'cases:read' },
      { path: 'tasks', title: 'Tasks', letter: 't', icon: ListChecksIcon, needs: 'cases:read' },
      { path: 'runs', title: 'Runs', letter: 'r', icon: PlayIcon, needs: 'runs:read' },
      { path: 'observables', title: 'Observables', letter: 'b', icon: TargetIcon, needs: 'alerts:read' },
      {
        path: 'checkpoints',
        title: 'Waiting',
        letter: 'w',
        icon: CircleQuestionMarkIcon,
        needs: 'runs:read',
      },
      {
        path: 'containments',
        title: 'Containments',
        letter: 'i',
        icon: CircleMinusIcon,
        needs: 'runs:read',
      },
    ],
  },
  {
    title: 'Build',
    views: [
      { path: 'playbooks', title: 'Playbooks', letter: 'p', icon: BookOpenTextIcon, needs: 'playbooks:read' },
      { path: 'connections', title: 'Connections', letter: 'n', icon: Link2Icon, needs: 'connections:read' },
      { path: 'catalogue', title: 'Catalogue', letter: 's', icon: BoxIcon, needs: 'playbooks:read' },
    ],
  },
  {
    title: 'Operate',
    views: [
      { path: 'numbers', title: 'Numbers', letter: 'd', icon: ChartColumnIcon, needs: 'cases:read' },
      { path: 'health', title: 'Health', letter: 'h', icon: HeartPulseIcon, needs: 'engine:read' },
      {
        path: 'organizations',
        title: 'Organizations',
        letter: 'o',
        icon: BuildingIcon,
        needs: 'organizations:write',
      },
      { path: 'providers', title: 'Providers', letter: 'v', icon: LogInIcon, needs: 'organizations:write' },
      { path: 'people', title: 'People', letter: 'm', icon: UserIcon, needs: 'people:read' },
      { path: 'keys', title: 'Keys', letter: 'k', icon: LockIcon, needs: 'keys:read' },
      { path: 'audit', title: 'Audit', letter: 'u', icon: ScrollTextIcon, needs: 'audit:read' },
    ],
  },
]

export const views: readonly View[] = viewGroups.flatMap((group) => group.views)

/** The permission that a path needs; undefined: none. */
export function permissionAt(path: string): AccessPermission | undefined {
  const [, first] = path.split('/', 2)
  return views.find((view) => view.path === first)?.needs
}

const directory = () => import('./directory/directory-view.tsx')

/** All views, loaded on demand. */
export const pages = [
  pageAt('/alerts', () => import('./alerts/alerts-view.tsx')),
  pageAt('/alerts/:id', () => import('./alerts/alert-page.tsx')),
  pageAt('/cases', () => import('./cases/list/cases-view.tsx')),
  pageAt('/cases/:id', () => import('./cases/case-page.tsx')),
  pageAt('/cases/:id/report', () => import('./cases/report/report-page.tsx')),
  pageAt('/tasks', () => import('./tasks/tasks-view.tsx')),
  pageAt('/runs', () => import('./runs/runs-view.tsx')),
  pageAt('/runs/:id', () => import('./runs/run-page.tsx')),
  pageAt('/observables', () => import('./observables/observables-view.tsx')),
  pageAt('/checkpoints', () => import('./checkpoints/checkpoints-view.tsx')),
  pageAt('/containments', () => import('./containments/containments-view.tsx')),
  pageAt('/playbooks', () => import('./playbooks/playbooks-view.tsx')),
  pageAt('/playbooks/new', () => import('./playbooks/editor/new-playbook.tsx')),
  pageAt('/playbooks/:id', () => import('./playbooks/playbook-page.tsx')),
  pageAt('/playbooks/:id/draft', () => import('./playbooks/draft/draft-page.tsx')),
  pageAt('/connections', () => import('./connections/connections-view.tsx')),
  pageAt('/connections/new', () => import('./connections/new-connection.tsx')),
  pageAt('/connections/:id', () => import('./connections/connection-page.tsx')),
  pageAt('/oauth/callback/:plugin', () => import('./connections/oauth-callback.tsx')),
  pageAt('/catalogue', () => import('./catalogue/skills-view.tsx')),
  pageAt('/catalogue/plugins', () => import('./catalogue/plugins-view.tsx')),
  pageAt('/catalogue/plugins/:id', () => import('./catalogue/plugin-page.tsx')),
  pageAt('/catalogue/skills/:id', () => import('./catalogue/skill-page.tsx')),
  pageAt('/organizations', () => directory().then(({ OrganizationsView: view }) => ({ default: view }))),
  pageAt('/providers', () => directory().then(({ ProvidersView: view }) => ({ default: view }))),
  pageAt('/people', () => import('./people/people-view.tsx')),
  pageAt('/people/roles', () => import('./people/roles-view.tsx')),
  pageAt('/me', () => import('./me/me-view.tsx')),
  pageAt('/keys', () => import('./keys/keys-view.tsx')),
  pageAt('/audit', () => import('./audit/audit-view.tsx')),
  pageAt('/numbers', () => import('./numbers/numbers-view.tsx')),
  pageAt('/health', () => import('./health/health-view.tsx')),
] as const
