/**
 * Look of the dashboard: neutral greys, one accent colour, and status colours with at least 4.5:1 contrast in both
 * schemes. Every shade used for text is chosen for its contrast with the surface behind it (checked by axe).
 */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const gray: MantineColorsTuple = [
  '#f7f8f9',
  '#eff1f3',
  '#e4e7ea',
  '#d3d8dc',
  '#b9c0c6',
  '#68717a',
  '#59626a',
  '#454d54',
  '#2f363c',
  '#1b2024',
];
const dark: MantineColorsTuple = [
  '#dbe0e4',
  '#b9c1c7',
  '#9aa4ab',
  '#808a92',
  '#343c43',
  '#2a3137',
  '#20262b',
  '#171b1f',
  '#111518',
  '#0b0e10',
];
const accent: MantineColorsTuple = [
  '#e7f6fa',
  '#d0eaf2',
  '#a3d6e4',
  '#74c1d6',
  '#4db0ca',
  '#2b9bb8',
  '#1583a0',
  '#0b6b86',
  '#08576d',
  '#054456',
];
const green: MantineColorsTuple = [
  '#e9f7ee',
  '#d4eedd',
  '#a9dcbb',
  '#7bcb98',
  '#52b977',
  '#34a35c',
  '#238a49',
  '#19713a',
  '#125a2d',
  '#0b4421',
];
const red: MantineColorsTuple = [
  '#fdecec',
  '#fad7d7',
  '#f4aeae',
  '#f08a8a',
  '#e86666',
  '#dc4646',
  '#cb3131',
  '#b32424',
  '#921b1b',
  '#701313',
];
/** For errors and irreversible actions; differs from the colours of all verdicts. */
const danger: MantineColorsTuple = [
  '#fdeee4',
  '#fbdcc8',
  '#f7c09b',
  '#f2a46f',
  '#e88745',
  '#d96d24',
  '#bf5713',
  '#a3450b',
  '#853708',
  '#662a06',
];
const yellow: MantineColorsTuple = [
  '#fdf5e3',
  '#faeac5',
  '#f3d48a',
  '#ebbe52',
  '#dea52a',
  '#bf8812',
  '#a06f08',
  '#855a04',
  '#6b4803',
  '#513602',
];

/** Element that holds menus and lists; a landmark of the page, so that screen readers find them. */
export const floatingId = 'floating';

/** The header of a dialog is a <header>, which would count as a second banner of the page. */
const notABanner = { header: { role: 'presentation' } };

const dialogTitle = { title: { fontSize: '1rem', fontWeight: 600 } };

export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  colors: { gray, dark, accent, green, red, danger, yellow },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 6,
  respectReducedMotion: true,
  cursorType: 'pointer',
  white: '#ffffff',
  black: '#1b2024',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.4', xl: '1.3' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.25rem', xl: '2rem' },
  headings: {
    fontFamily: "'Inter Variable', system-ui, sans-serif",
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.45' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    MultiSelect: { defaultProps: { size: 'sm' } },
    TagsInput: { defaultProps: { size: 'sm' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'sm' } },
    Checkbox: { defaultProps: { size: 'xs', radius: 3 } },
    // Mantine's own has the colour of the page in the dark scheme.
    Pill: {
      styles: {
        root: { backgroundColor: 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-5))' },
      },
    },
    Menu: {
      defaultProps: {
        shadow: 'md',
        // Closes at once: keys do nothing on the page below an open menu, and the next one may be a command's.
        transitionProps: { duration: 120, exitDuration: 0, transition: 'fade' },
        // The first item takes the focus. The focus placeholder is not a menu item, and a menu must contain only items.
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: {
      defaultProps: {
        shadow: 'md',
        transitionProps: { duration: 120, transition: 'fade' },
        portalProps: { target: `#${floatingId}` },
      },
    },
    Tooltip: {
      defaultProps: { openDelay: 300, withArrow: false, transitionProps: { duration: 120 } },
    },
    Modal: {
      defaultProps: {
        centered: false,
        // Less space above where the screen is low, so that a form's button is visible without scrolling.
        yOffset: 'clamp(1.5rem, 6vh, 8rem)',
        transitionProps: { duration: 120, transition: 'fade' },
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: notABanner,
        styles: dialogTitle,
      },
    },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Drawer: {
      defaultProps: {
        position: 'right',
        transitionProps: { duration: 120 },
        overlayProps: { backgroundOpacity: 0.3 },
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: notABanner,
        styles: dialogTitle,
      },
    },
    Table: {
      defaultProps: {
        fz: 'sm',
        verticalSpacing: 6,
        horizontalSpacing: 'sm',
        borderColor: 'var(--sw-line)',
        highlightOnHoverColor: 'var(--sw-hover)',
      },
    },
  },
});

/** The arrow of Mantine's selects, as a background image: a native select can't contain elements. */
const drawArrow = (ink: string | undefined) =>
  `url("data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 15 15"><path fill="${ink}" fill-rule="evenodd" d="${arrowPath}"/></svg>`)}")`;
const arrowPath =
  'M4.93179 5.43179C4.75605 5.60753 4.75605 5.89245 4.93179 6.06819C5.10753 6.24392 5.39245 6.24392 5.56819 6.06819L7.49999 4.13638L9.43179 6.06819C9.60753 6.24392 9.89245 6.24392 10.0682 6.06819C10.2439 5.89245 10.2439 5.60753 10.0682 5.43179L7.81819 3.18179C7.73379 3.0974 7.61933 3.04999 7.49999 3.04999C7.38064 3.04999 7.26618 3.0974 7.18179 3.18179L4.93179 5.43179ZM10.0682 9.56819C10.2439 9.39245 10.2439 9.10753 10.0682 8.93179C9.89245 8.75606 9.60753 8.75606 9.43179 8.93179L7.49999 10.8636L5.56819 8.93179C5.39245 8.75606 5.10753 8.75606 4.93179 8.93179C4.75605 9.10753 4.75605 9.39245 4.93179 9.56819L7.18179 11.8182C7.35753 11.9939 7.64245 11.9939 7.81819 11.8182L10.0682 9.56819Z';

/** Status colours and surfaces beyond Mantine's own, by scheme. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': gray[5],
    '--mantine-color-error': danger[7],
    '--mantine-color-gray-light-color': gray[8],
    '--mantine-color-danger-light-color': danger[8],
    '--mantine-color-yellow-light-color': yellow[8],
    '--mantine-color-accent-light-color': accent[8],
    '--mantine-color-disabled-color': gray[6],
    '--sw-surface': '#ffffff',
    '--sw-surface-raised': '#ffffff',
    '--sw-rail': gray[0],
    '--sw-arrow': drawArrow(gray[6]),
    '--sw-line': gray[2],
    '--sw-hover': gray[1],
    '--sw-selected': accent[0],
    '--sw-accent-text': accent[7],
    '--sw-pass': green[7],
    '--sw-fail': red[7],
    '--sw-danger': danger[7],
    '--sw-indeterminate': yellow[7],
    '--sw-running': accent[7],
  },
  dark: {
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': dark[3],
    '--mantine-color-error': danger[3],
    '--mantine-color-gray-light-color': gray[3],
    '--mantine-color-danger-light-color': danger[2],
    '--mantine-color-yellow-light-color': yellow[2],
    '--mantine-color-accent-light-color': accent[2],
    '--mantine-color-disabled-color': dark[2],
    '--sw-surface': dark[7],
    '--sw-surface-raised': dark[6],
    '--sw-rail': dark[8],
    '--sw-arrow': drawArrow(dark[3]),
    '--sw-line': dark[5],
    '--sw-hover': dark[6],
    '--sw-selected': '#14313a',
    '--sw-accent-text': accent[3],
    '--sw-pass': green[3],
    '--sw-fail': red[3],
    '--sw-danger': danger[3],
    '--sw-indeterminate': yellow[3],
    '--sw-running': accent[3],
  },
});
