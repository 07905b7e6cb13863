import { AppShell, Burger, Group, ScrollArea, Text, Badge, NavLink, Stack } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Suspense, useCallback, Fragment, lazy, useEffect, useRef, type ComponentProps } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { useQuery } from '@tanstack/react-query'
import { LiveMark, EngineMark, PaletteButton, PersonMenu, ZoneButton } from './header.tsx'
import { PageLoading, TextLink, WhenNeeded } from '../parts/layout.tsx'
import { has, useSession } from '../session/session.ts'
import { pages, permissionAt, views, viewGroups, type View } from '../views.ts'
import { RequirePermission, ViewTitle } from './view.tsx'
import { Logo } from './logo.tsx'
import './shell.css'
import { useGoKeys, usePlainKeys, useTypedAhead } from './plain-keys.ts'
import { Unreachable, ViewBoundary } from './unreachable.tsx'
import { Bell } from '../notifications/bell.tsx'
import { apiGet } from '../api/call.ts'
import type { ApiPage } from '../api/types.ts'
import { useUndecided } from '../checkpoints/undecided-runs.tsx'
import { usePollMs } from '../live/live-state.ts'

const Palette = lazy(() => import('./palette.tsx'))
const Shortcuts = lazy(() => import('./overlays.tsx').then(({ Shortcuts: dialog }) => ({ default: dialog })))

/** The frame of all views: header, navigation, and the current view. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure()
  const [location, navigate] = useLocation()
  const [isHelping, help] = useDisclosure()
  const [hasPlainKeys] = usePlainKeys()
  const session = useSession()
  useFocusView(location)
  const [isSearching, search] = useDisclosure()
  useHotkeys([['mod+K', search.open]])
  useHotkeys(
    hasPlainKeys
      ? [
          ['/', search.open],
          ['shift+?', help.open],
        ]
      : [],
  )
  const go = useCallback(
    (letter: string): void => {
      const view = views.find((each) => each.letter === letter && has(session, each.needs))
      if (view !== undefined) navigate(`/${view.path}`)
    },
    [navigate, session],
  )
  useGoKeys(go, hasPlainKeys)
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: { base: 200, sm: 56, md: 176 }, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#view" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header className="shell-bar">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Link href="/alerts" className="brand">
              <Logo size={26} />
              <Text fw={700} size="lg" component="span">
                Tocsin
              </Text>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap" pos="relative">
            <LiveMark />
            <EngineMark />
            <PaletteButton onClick={search.open} />
            <Bell />
            <ZoneButton />
            <PersonMenu onHelp={help.open} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p={8} className="shell-nav" component="nav" aria-label="Views">
        <ScrollArea>
          <Navigation onNavigate={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="view" tabIndex={-1}>
        <ViewBoundary>
          <Search opened={isSearching} onClose={search.close} onHelp={help.open} />
          <WhenNeeded isNeeded={isHelping}>
            <Shortcuts opened={isHelping} onClose={help.close} />
          </WhenNeeded>
        </ViewBoundary>
        <ViewBoundary key={location}>
          <CurrentView path={location} />
        </ViewBoundary>
      </AppShell.Main>
      <Unreachable />
    </AppShell>
  )
}

/** The search, which keeps what is typed while it opens. */
function Search(props: Omit<ComponentProps<typeof Palette>, 'typedAhead'>) {
  const typedAhead = useTypedAhead(props.opened)
  return (
    <WhenNeeded isNeeded={props.opened}>
      <Palette {...props} typedAhead={typedAhead} />
    </WhenNeeded>
  )
}

/** The view at the path, if the role may see it. */
function CurrentView({ path }: { readonly path: string }) {
  return (
    <RequirePermission permission={permissionAt(path)}>
      <Suspense fallback={<PageLoading />}>
        <Switch>
          <Route path="/">
            <Redirect to="/alerts" replace />
          </Route>
          {pages.map(({ path: pattern, page }) => (
            <Route key={pattern} path={pattern} component={page} />
          ))}
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </RequirePermission>
  )
}

/** The views that the role may see. */
function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const session = useSession()
  return (
    <Stack gap={2}>
      {viewGroups.map(({ title, views }) => {
        const seen = views.filter(({ needs }) => has(session, needs))
        return (
          <Fragment key={title}>
            {seen.length > 0 && (
              <Text className="nav-group" aria-hidden>
                {title}
              </Text>
            )}
            {seen.map((view) => (
              <ViewLink key={view.path} view={view} onNavigate={onNavigate} />
            ))}
          </Fragment>
        )
      })}
    </Stack>
  )
}

interface ViewLinkProps {
  readonly view: View
  readonly onNavigate: () => void
}

function ViewLink({ view: { path, title, icon: Icon }, onNavigate }: ViewLinkProps) {
  const [location] = useLocation()
  const isActive = location === `/${path}` || location.startsWith(`/${path}/`)
  return (
    <NavLink
      className="nav-link"
      component={Link}
      href={`/${path}`}
      title={title}
      label={title}
      leftSection={<Icon width={16} height={16} />}
      rightSection={path === 'checkpoints' && <WaitingCount />}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      onClick={onNavigate}
    />
  )
}

/** Number of open questions and decisions. */
function WaitingCount() {
  const poll = usePollMs()
  const waiting = useQuery({
    queryKey: ['checkpoints', 'count'],
    queryFn: () => apiGet<ApiPage<unknown>>('/checkpoints', { limit: 1 }),
    refetchInterval: poll(10_000),
  })
  const undecided = useUndecided()
  const count = (waiting.data?.total ?? 0) + (undecided.data?.total ?? 0)
  if (count === 0) return null
  return (
    <Badge color="grape" size="sm" className="nav-count" aria-label={`${count} waiting`}>
      {count > 999 ? '999+' : count}
    </Badge>
  )
}

/** Moves the focus to a new view, for keyboards and screen readers. */
function useFocusView(location: string): void {
  const before = useRef(location)
  useEffect(() => {
    if (before.current === location) return
    before.current = location
    const isElsewhere = document.activeElement !== null && document.activeElement !== document.body
    // A field of the view may have the focus already.
    if (isElsewhere && document.activeElement?.closest('#view') !== null) return
    document.querySelector<HTMLElement>('#view')?.focus({ preventScroll: true })
  }, [location])
}

function NotFound() {
  return (
    <Stack align="flex-start">
      <ViewTitle>Page not found</ViewTitle>
      <Text>The link may be old or incomplete.</Text>
      <TextLink href="/alerts">Go to alerts</TextLink>
    </Stack>
  )
}
