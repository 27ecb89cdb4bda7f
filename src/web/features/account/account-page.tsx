import { Box, Flex, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Me } from '#contract/shapes/session.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { formatExact } from '#web/ui/quantity.ts';
import { AccessTokens } from './access-tokens.tsx';
import type { AccountSearch } from './account-search.ts';
import { Appearance } from './appearance.tsx';
import { DeleteAccount, OwnName } from './own-account.tsx';
import { PasswordForm } from './password-form.tsx';
import { SessionsList } from './sessions-list.tsx';

function Section({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Flex wrap="wrap" gap="var(--mantine-spacing-sm) var(--mantine-spacing-xl)">
        <Box flex="1 1 220px">
          <Title order={2}>{title}</Title>
          <Text c="dimmed" size="sm" mt={4}>
            {about}
          </Text>
        </Box>
        <Box flex="3 1 400px" miw={0}>
          {children}
        </Box>
      </Flex>
    </section>
  );
}

interface AccountPageProps {
  me: Me;
  search: AccountSearch;
  onSearch: (search: AccountSearch) => void;
}

export function AccountPage({ me, search, onSearch }: AccountPageProps) {
  return (
    <Box p="md" style={{ overflow: 'auto' }}>
      <Stack gap={40} maw={980} pb="xl">
        <PageHeader
          title={me.user.name || me.user.email}
          aside={me.user.name === '' ? undefined : me.user.email}
          description={`Signed in until ${formatExact(Date.parse(me.expiresAt))}.`}
        />
        <Section
          title="Name"
          about="Shown to others. A manager can give you another name in an organization."
        >
          <OwnName name={me.user.name} />
        </Section>
        <Section title="Appearance" about="Saved in this browser.">
          <Appearance />
        </Section>
        <Section title="Password" about="Changing it ends all your other sessions and access tokens.">
          <PasswordForm />
        </Section>
        <Section
          title="Access tokens"
          about="For scripts and other programs. A token has your rights: to read only, or to read and write."
        >
          <AccessTokens search={search.token} onSearch={(token) => onSearch({ token })} />
        </Section>
        <Section title="Sessions" about="Where you are signed in. End sessions you don't recognize.">
          <SessionsList />
        </Section>
        <Section title="Delete account" about="You leave every organization and can't sign in any more.">
          <DeleteAccount />
        </Section>
      </Stack>
    </Box>
  );
}
