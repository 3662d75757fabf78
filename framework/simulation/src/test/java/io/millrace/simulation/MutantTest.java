package io.millrace.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.MillraceException;
import io.millrace.aws.internal.ShellRules;
import io.millrace.internal.engine.EngineRules;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MutantTest {
    static List<Mutant> all() {
        return Mutant.all();
    }

    @Test
    void theCatalogueHasManyUnderNamesOfTheirOwn() {
        assertThat(Mutant.all()).hasSizeGreaterThanOrEqualTo(20);
        assertThat(Mutant.all()).extracting(Mutant::name).doesNotHaveDuplicates();
        assertThat(Mutant.all()).extracting(Mutant::rule).doesNotHaveDuplicates();
        assertThat(Mutant.all().stream().map(MutantTest::classesOf)).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("all")
    void eachIsNamedAndSaysWhatItBreaks(Mutant mutant) {
        assertThat(mutant.name()).matches("[a-z]+(-[a-z]+)+");
        assertThat(mutant.rule()).matches("[A-Z].*; here .*\\.");
        assertThat(Mutant.named(mutant.name())).isSameAs(mutant);
    }

    @ParameterizedTest
    @MethodSource("all")
    void eachBreaksOneSideAndLeavesTheOtherToTheProtocol(Mutant mutant) {
        assertThat(Stream.of(mutant.engineRules() != EngineRules.PROTOCOL, mutant.shellRules() != ShellRules.PROTOCOL))
                .containsExactlyInAnyOrder(true, false);
        for (Class<?> broken : classesOf(mutant)) {
            assertThat(broken == EngineRules.class
                            || broken == ShellRules.class
                            || Stream.of(broken.getDeclaredMethods()).anyMatch(MutantTest::overrides))
                    .as(broken.getName())
                    .isTrue();
        }
    }

    /** Lambdas and captured values are methods and fields of the class, too. */
    private static boolean overrides(java.lang.reflect.Method method) {
        Class<?> rules = method.getDeclaringClass().getSuperclass();
        return !method.isSynthetic()
                && Stream.of(rules.getDeclaredMethods())
                        .anyMatch(rule -> rule.getName().equals(method.getName())
                                && List.of(rule.getParameterTypes()).equals(List.of(method.getParameterTypes())));
    }

    private static List<Class<?>> classesOf(Mutant mutant) {
        return List.of(mutant.engineRules().getClass(), mutant.shellRules().getClass());
    }

    @Test
    void anUnknownNameIsRefusedWithTheNamesThatThereAre() {
        assertThatThrownBy(() -> Mutant.named("no-fense"))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("no-fense")
                .hasMessageContaining("no-fence, fence-not-consulted");
    }
}
