import { AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Suspense, useCallback } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { LiveMark } from '../live/live-mark.tsx'
import { PageLoading } from '../parts/states/page-loading.tsx'
import { useSession } from '../session/session.ts'
import { pages, rolesAt, views } from '../views.ts'
import { Allowed } from './allowed.tsx'
import { EngineMark } from './engine-mark.tsx'
import { Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'
import { NotFound } from './view/not-found.tsx'
import { Palette, PaletteButton } from './palette/palette.tsx'
import { PersonMenu } from './person-menu.tsx'
import './shell.css'
import { Shortcuts } from './keys/shortcuts.tsx'
import { Unreachable } from './unreachable.tsx'
import { useFocusView } from './view/use-focus-view.ts'
import { useGoKeys } from './keys/use-go-keys.ts'
import { usePlainKeys } from './keys/use-plain-keys.ts'
import { ViewBoundary } from './view/view-boundary.tsx'
import { ZoneButton } from './zone-button.tsx'

/** The frame around every view: header, navigation, and the view that the address names. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure()
  const [location, navigate] = useLocation()
  const [isHelping, help] = useDisclosure()
  const [hasPlainKeys] = usePlainKeys()
  const { role } = useSession()
  useFocusView(location)
  useHotkeys(hasPlainKeys ? [['shift+?', help.open]] : [])
  const go = useCallback(
    (letter: string): void => {
      const view = views.find((each) => each.letter === letter && each.roles.includes(role))
      if (view !== undefined) navigate(`/${view.path}`)
    },
    [navigate, role],
  )
  useGoKeys(go, hasPlainKeys)
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: { base: 200, sm: 56, md: 176 }, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#view" className="skip-link">
        To the content
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
            <PaletteButton />
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
        <ViewBoundary key={location}>
          <Allowed roles={rolesAt(location)}>
            <Suspense fallback={<PageLoading />}>
              <Switch>
                <Route path="/">
                  <Redirect to="/alerts" replace />
                </Route>
                {pages.map(({ path, page }) => (
                  <Route key={path} path={path} component={page} />
                ))}
                <Route component={NotFound} />
              </Switch>
            </Suspense>
          </Allowed>
        </ViewBoundary>
      </AppShell.Main>
      <Palette onHelp={help.open} />
      <Shortcuts opened={isHelping} onClose={help.close} />
      <Unreachable />
    </AppShell>
  )
}
