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
  'keys',
  // Not in the navigation: vendors send the browser there after a sign-in.
  'oauth',
  'observables',
  'organizations',
  'playbooks',
  'providers',
  'runs',
])
