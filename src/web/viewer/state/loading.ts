export type Loading =
  | { status: 'none' }
  | { status: 'loading'; stage: string }
  | { status: 'ready' }
  | { status: 'failed'; problem: string };
