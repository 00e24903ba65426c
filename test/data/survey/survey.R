# Writes the files of this folder from made-up data: Rscript survey.R (needs haven)
library(haven)
set.seed(20)
n <- 400
satisfied <- labelled_spss(sample(c(1:5, 98), n, TRUE, c(1, 2, 3, 4, 3, 1)),
    c("very unsatisfied" = 1, "unsatisfied" = 2, "neither" = 3, "satisfied" = 4, "very satisfied" = 5, "refused" = 98),
    na_values = 98, label = "How satisfied are you with the service?")
age <- labelled_spss(ifelse(runif(n) < 0.1, 999, sample(18:85, n, TRUE)), c("no answer" = 999), na_values = 999, label = "Age in years")
income <- round(exp(rnorm(n, 7.5, 0.5)), 2)
income[sample(n, 60)] <- NA
attr(income, "label") <- "Net income per month"
member <- labelled(sample(0:1, n, TRUE), c("no" = 0, "yes" = 1), label = "Member of a club")
region <- sample(c("North", "South", "Größe"), n, TRUE)
day <- as.Date("2026-03-01") + sample(0:9, n, TRUE)
people <- data.frame(satisfied, age, income, member, region, day)
write_sav(people, "survey.zsav", compress = "zsav")
stata <- people
stata$satisfied <- labelled(ifelse(satisfied == 98, tagged_na("r"), as.numeric(satisfied)),
    c("very unsatisfied" = 1, "unsatisfied" = 2, "neither" = 3, "satisfied" = 4, "very satisfied" = 5, "refused" = tagged_na("r")),
    label = "How satisfied are you with the service?")
stata$age <- as.numeric(ifelse(age == 999, NA, age))
write_dta(stata, "survey.dta", version = 14)
sas <- data.frame(age = stata$age, income = as.numeric(income), region = region)
write_xpt(sas, "survey.xpt", version = 8)
