module gorm.io/plugin/optimisticlock

go 1.26.0
