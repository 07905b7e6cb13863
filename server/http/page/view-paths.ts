/** First path segments of the views of the page (`server/web/views.ts`). */
export const viewPaths: ReadonlySet<string> = new Set([
  'alerts',
  'audit',
  'cases',
  'catalogue',
  'checkpoints',
  'connections',
  'containments',
  'health',
  // Not in the navigation: links of invitations lead there.
  'invitation',
  'keys',
  'me',
  'numbers',
  // Not in the navigation: vendors send the browser there after a sign-in.
  'oauth',
  'observables',
  'organizations',
  'people',
  'playbooks',
  'providers',
  'runs',
  'tasks',
  // Not in the navigation: the identity provider sends the browser there.
  'sign-in',
])
