import { AppShell, Burger, Center, Group, Loader, NavLink, ScrollArea, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { useSession } from '../session/session.ts'
import { pages, views } from '../views.ts'
import { Logo } from './logo.tsx'
import { NotFound } from './not-found.tsx'
import { Palette, PaletteButton } from './palette.tsx'
import { PersonMenu } from './person-menu.tsx'
import { ViewBoundary } from './view-boundary.tsx'

/** The frame around every view: header, navigation, and the view that the address names. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure()
  const [location] = useLocation()
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 160, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#view" className="skip-link">
        To the content
      </a>
      <AppShell.Header>
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
          <Group gap="xs" wrap="nowrap">
            <PaletteButton />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Views">
        <ScrollArea>
          <Navigation onNavigate={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="view" tabIndex={-1}>
        <ViewBoundary key={location}>
          <Suspense fallback={<ViewLoading />}>
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
        </ViewBoundary>
      </AppShell.Main>
      <Palette />
    </AppShell>
  )
}

function Navigation({ onNavigate }: { readonly onNavigate: () => void }) {
  const [location] = useLocation()
  const { role } = useSession()
  return (
    <Stack gap={2}>
      {views
        .filter(({ roles }) => roles.includes(role))
        .map(({ path, title, icon: Icon }) => {
          const isActive = location === `/${path}` || location.startsWith(`/${path}/`)
          return (
            <NavLink
              key={path}
              component={Link}
              href={`/${path}`}
              label={title}
              leftSection={<Icon width={16} height={16} />}
              active={isActive}
              aria-current={isActive ? 'page' : undefined}
              onClick={onNavigate}
            />
          )
        })}
    </Stack>
  )
}

function ViewLoading() {
  return (
    <Center h={200}>
      <Loader aria-label="Loading" />
    </Center>
  )
}
